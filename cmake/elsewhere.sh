#!/bin/sh
# elsewhere.sh BUILD SOURCE: says so when the workers that scripts/interpreters built elsewhere, to
# which it put entrances in BUILD, are older than what workers are built from: this build cannot
# bring them up to date.
set -eu
for worker in "$1"/gctax-worker-*; do
	if ! head -n 2 "$worker" 2>/dev/null | grep -aq 'written by scripts/interpreters'; then
		continue
	fi
	newer=$(find "$2/ext" "$2/harness" -type f -newer "$worker" \
		\( -name '*.[ch]' -o -name '*.def' -o -name '*.py' \) ! -path '*/tests/*' | head -n 1)
	if [ -n "$newer" ]; then
		echo "warning: the workers of the chroot are older than ${newer#"$2"/}:" \
			"scripts/interpreters --only sid builds them again"
		break
	fi
done
