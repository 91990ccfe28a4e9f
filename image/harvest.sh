#!/bin/sh
# harvest.sh TO DEBS KERNELSUITE PACKAGE... - fetch packages that are only unpacked (called inside mmdebstrap, whose
# apt configuration still knows the archives). A kernel's meta package stands for the packages that carry its files.
set -eu
to=$1 debs=$2 suite=$3
shift 3
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
wanted=
for name; do
    case $name in
        linux-image-*)
            real=$(apt-get --simulate --no-install-recommends ${suite:+-t "$suite"} install "$name" |
                sed -n 's/^Inst \(linux-[a-z]*-[0-9][^ ]*\) (\([^ ]*\) .*/\1=\2/p')
            [ -n "$real" ] || { echo "No kernel packages behind $name" >&2; exit 1; }
            wanted="$wanted $real" ;;
        *) wanted="$wanted $name" ;;
    esac
done
cd "$to"
apt-get --print-uris download $wanted | while read -r _ file _; do
    cp -n "$debs/$file" . 2>/dev/null || true
done
# A file that is here already is checked, not fetched again.
apt-get -q -o APT::Sandbox::User=root download $wanted
cp -n ./*.deb "$debs/"
