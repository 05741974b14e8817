#!/bin/sh
# After the installation of the deb or rpm: the command line, the sandbox of the window, and the AppArmor profile.
set -e
app=/opt/Coppice

ln -sf "$app/coppice-desktop" /usr/bin/coppice-desktop
# Another program of that name stays.
command=/usr/bin/coppice
owner=$(readlink "$command" 2>/dev/null || true)
case $owner in
  "$app"/*) ln -sf "$app/resources/bin/coppice" "$command" ;;
  *)
    if [ -e "$command" ] || [ -L "$command" ]; then
      echo "$command is another program and stays. The command line of Coppice is $app/resources/bin/coppice."
    else
      ln -s "$app/resources/bin/coppice" "$command"
    fi
    ;;
esac

# Chromium's own helper, for systems without user namespaces.
chmod 4755 "$app/chrome-sandbox" || true

# Only a parser that knows user namespaces (AppArmor 4) reads the profile. Older systems do not restrict them.
profile=/etc/apparmor.d/coppice
if command -v apparmor_parser >/dev/null 2>&1 && apparmor_parser --skip-kernel-load --skip-cache "$app/resources/apparmor/coppice" >/dev/null 2>&1; then
  cp -f "$app/resources/apparmor/coppice" "$profile"
  apparmor_parser --replace --write-cache --skip-read-cache "$profile" >/dev/null 2>&1 || true
fi

if command -v update-desktop-database >/dev/null 2>&1; then update-desktop-database -q /usr/share/applications || true; fi
