"""Decodes a text of n JSON records: many containers are made and kept, none is garbage."""
import json
import sys

count = int(sys.argv[1])
record = '{"id": %d, "tags": ["a", "b"], "owner": {"name": "x", "groups": [1, 2, 3]}}'
text = "[%s]" % ",".join(record % number for number in range(count))
assert len(json.loads(text)) == count
