#!/bin/sh
# After the removal of the deb or rpm. An upgrade calls this too, with other words; then everything stays.
set -e
case ${1:-} in
  upgrade | 1) exit 0 ;;
esac

for link in /usr/bin/coppice /usr/bin/coppice-desktop; do
  case $(readlink "$link" 2>/dev/null || true) in
    /opt/Coppice/*) rm -f "$link" ;;
  esac
done

profile=/etc/apparmor.d/coppice
if [ -f "$profile" ]; then
  if command -v apparmor_parser >/dev/null 2>&1; then apparmor_parser --remove "$profile" >/dev/null 2>&1 || true; fi
  rm -f "$profile"
fi

# People's threads and settings are theirs: they stay in the data folder of each person.
echo "Coppice is removed. Threads and settings stay in ~/.local/share/coppice."
