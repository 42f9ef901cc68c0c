"""A table of a dynamic program, n × n, in a dict whose keys are pairs of integers."""
import sys


def fill(n: int) -> int:
    table = {}
    for i in range(n):
        for j in range(n):
            best = 0
            if i and j:
                best = max(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1] + (i * j) % 7)
            table[i, j] = best
    return table[n - 1, n - 1]


assert fill(int(sys.argv[1])) > 0
