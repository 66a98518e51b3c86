#!/usr/bin/env bash
# Opens three pages of the site in a headless Chromium without network, on a wide and on a narrow
# screen. Leaves pictures of them in site-pictures/, to be looked at. Fails where a page is blank,
# wider than the screen, lacks a picture or a formula, or writes an error to the console, and where
# the search finds nothing.
# Usage: tools/look-at-site.sh, after make site
set -euo pipefail
cd "$(dirname "$0")/.."

pictures=site-pictures
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf $pictures
mkdir $pictures
failed=0

# The page stands in a frame as wide as the screen: Chromium opens no window narrower than 500.
# What the frame finds wrong goes to the console, where errors of the page are, too.
frame() { # PAGE WIDTH HEIGHT FORMULAS
  cat <<HTML
<!DOCTYPE html><html><head><meta charset="utf-8"><title>frame</title></head>
<body style="margin:0"><iframe id="page" src="file://$PWD/site/$1" width="$2" height="$3"
  style="border:0"></iframe>
<script>
const wrong = (text) => console.error("not true: " + text);
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function search(page) {
  const input = page.getElementById("search-input");
  input.value = "distance";
  input.dispatchEvent(new Event("input"));
  for (let i = 0; i < 50 && !page.querySelector(".search-found a"); i++) await wait(20);
  if (!page.querySelector(".search-found a")) wrong("the search finds something");
  input.value = "";
  input.dispatchEvent(new Event("input"));
}

async function look() {
  const page = document.getElementById("page").contentDocument;
  const main = page.querySelector("main");
  if (!main || main.innerText.length < 500) wrong("the page has text");
  const root = page.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    wrong("the page is as wide as the screen: " + root.scrollWidth + " > " + root.clientWidth);
  }
  for (const image of page.images) {
    if (image.naturalWidth === 0) wrong("the picture " + image.src + " is there");
  }
  const seen = [...page.querySelectorAll("math")].filter((m) => m.getBoundingClientRect().height > 5);
  if (seen.length < $4) wrong("formulas are shown: " + seen.length + " of at least $4");
  await search(page);
  console.log("looked");
}
document.getElementById("page").addEventListener("load", look);
</script></body></html>
HTML
}

look() { # NAME PAGE FORMULAS WIDTH HEIGHT
  local window=$(($4 < 500 ? 500 : $4)) picture=$PWD/$pictures/$1-$4.png
  frame "$2" "$4" "$5" "$3" >"$work/frame.html"
  timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
    --user-data-dir="$work/profile" --host-resolver-rules="MAP * ~NOTFOUND" \
    --disable-background-networking --disable-component-update --no-first-run \
    --allow-file-access-from-files --virtual-time-budget=5000 --enable-logging=stderr \
    --window-size="$window,$5" --screenshot="$picture" "file://$work/frame.html" \
    2>"$work/log" >/dev/null || true
  grep 'CONSOLE' "$work/log" | grep -v '"looked"' >"$work/wrong" || true
  if [ -s "$work/wrong" ] || [ ! -s "$picture" ] || ! grep -q '"looked"' "$work/log"; then
    failed=$((failed + 1))
    echo "$2 has faults on a screen $4 pixels wide:"
    cat "$work/wrong"
  fi
}

for screen in "1280 1600" "390 1600"; do
  read -r width height <<<"$screen"
  look home index.html 0 "$width" "$height"
  look pdist reference/pdist.html 3 "$width" "$height"
  look article articles/pcfdist.html 2 "$width" "$height"
done
echo "site: $((6 - failed)) of 6 screenshots in $pictures/ are without faults"
[ $failed -eq 0 ]
