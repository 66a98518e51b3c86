#!/usr/bin/env bash
# Format and static analysis. Says nothing but which tool runs where there is nothing to say; the last
# line is then "lint: nothing found".
set -euo pipefail
cd "$(dirname "$0")/.."
shopt -s nullglob

# What needs the CUDA toolkit is only looked at for its format.
cuda=(src/cuda/{limits,pool}.c src/cuda-functions/stub.c)
no_r=("${cuda[@]}")
for room in src/*/; do
  case $room in src/cuda*/ | src/glue/) ;; *) no_r+=("$room"*.c) ;; esac
done
c_files=(src/*.c src/glue/*.c "${no_r[@]}")
no_r+=(tests/c/*.c tests/c/emulated/*.c)
all=(src/*.[ch] src/*/*.[ch] src/cuda-kernels/*.{cu,cuh} tests/c/*.[ch]
  tests/c/emulated/*.{c,h,cc} tests/c/emulated/*/*/*.{h,cuh})

echo "== clang-format"
[ ${#all[@]} -eq 0 ] || clang-format --dry-run -Werror "${all[@]}"

echo "== arrows"
tools/arrows.sh
Rscript --vanilla tools/arrows.R

echo "== shell"
bash -n tools/*.sh bench/*.sh .ci/run
for script in cleanup configure.win; do
  sh -n $script
  checkbashisms -p -n $script
done

echo "== cppcheck"
# It would take v_of_sixteen(), which one instruction set alone defines, for an empty macro.
[ ${#no_r[@]} -eq 0 ] || cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
  --enable=warning --suppress=missingInclude --suppress=unknownMacro --suppress=pointerSize \
  --suppress=uninitvar -Uv_of_sixteen \
  -j "$(nproc 2>/dev/null || echo 2)" -Isrc -Itests/c -Itests/c/emulated "${no_r[@]}"

echo "== clang-tidy"
if [ ${#c_files[@]} -gt 0 ]; then
  r_include=$(R CMD config --cppflags)
  printf '%s\0' "${c_files[@]}" | xargs -0 -P "$(nproc 2>/dev/null || echo 2)" -n 1 sh -c \
    'clang-tidy --quiet "$1" -- -std=gnu11 -Isrc -DPCF_TESTING '"$r_include"' 2>/dev/null' sh
fi

echo "== warnings"
# Of two compilers and the newest C. What gcc sees only as it optimises fails 'make test-c'.
for cc in gcc clang; do
  printf '%s\0' src/*.c src/*/*.c | xargs -0 -P "$(nproc 2>/dev/null || echo 2)" -n 8 $cc -std=gnu2x \
    -fsyntax-only -Wall -Wextra -Wno-unused-parameter -Wpedantic -Werror -DPCF_TESTING -Isrc -Itests/c/emulated $r_include
done

echo "== names"
twice=$(grep -hoE '^[A-Za-z_.0-9]+ <- ' R/*.R | sort | uniq -d)
if [ -n "$twice" ]; then
  echo "defined twice in R/, so that only the last definition counts: $twice"
  exit 1
fi

echo "== articles"
# R CMD check of R 4.2 runs all vignettes in one session, where one may use what another defines.
for article in vignettes/*.Rmd vignettes/articles/*.Rmd; do
  for name in $(grep -oE '\bhas_[a-z0-9]+' "$article" | sort -u); do
    grep -q "^$name <- " "$article" || { echo "$article uses $name, and does not define it" && exit 1; }
  done
done

echo "== unlink"
expanding=$(grep -rn 'unlink' R tests/testthat tools bench vignettes inst README.md --include='*.R' \
  --include='*.Rmd' --include='*.md' | grep -v 'expand = FALSE' || true)
if [ -n "$expanding" ]; then
  echo "unlink() takes names such as \"run[1]\" for patterns; give it expand = FALSE on the same line:"
  echo "$expanding"
  exit 1
fi

echo "== lintr"
if Rscript -e 'quit(status = !requireNamespace("lintr", quietly = TRUE))'; then
  Rscript -e '
    lints <- do.call(c, lapply(
      c("R", "tests/testthat", "tools", "bench"),
      function(d) if (dir.exists(d)) lintr::lint_dir(d, pattern = "[.][Rr]$")
    ))
    if (length(lints)) {
      print(structure(lints, class = "lints"))
      quit(status = 1)
    }'
fi
echo "== spelling"
Rscript tools/spelling.R
echo "lint: nothing found"
