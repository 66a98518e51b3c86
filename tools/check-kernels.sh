#!/usr/bin/env bash
# Checks that tools/cuda-kernels.R, which compute-sanitizer runs on a GPU, launches every kernel
# of src/cuda-kernels, with all of its template arguments: here on the emulated device, which
# writes down what is launched.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/install-emulated.sh "$work"
PCFDIST_LAUNCHES=$work/launches R_LIBS=$work Rscript tools/cuda-kernels.R >"$work/log" 2>&1 || {
  tail -n 20 "$work/log"
  exit 1
}
nm -C --defined-only "$work/pcfdist/libs/pcfdist.so" >"$work/symbols"

perl - "$work/launches" "$work/symbols" src/cuda-kernels/*.cu src/cuda-kernels/*.cuh <<'PERL'
use strict;
use warnings;
sub text_of { local (@ARGV, $/) = @_; join '', <> }

my ($launches, $symbols, @sources) = @ARGV;
my @names = text_of(@sources) =~ /\b__global__\s+void\s+(?:__launch_bounds__(?:\([^()]*(?:\([^()]*\))?[^()]*\))\s*)?(\w+)\(/g;
my $kernel = join '|', @names;
my %address; # of functions, by their names
for (split /\n/, text_of($symbols)) {
  $address{$2} = hex $1 if /^(\w+) [tTwW] (.*\))$/;
}
my ($from) = map { $address{$_} } grep { /^emulator::put_threads\(/ } keys %address;
my %launched = map { $from + $_ => 1 } split /\n/, text_of($launches);
my @all = grep { /^(?:void )?(?:$kernel)[<(]/ } keys %address;
my @never = grep { !$launched{$address{$_}} } sort @all;
print "never launched: $_\n" for @never;
printf "%d of %d kernels were launched\n", @all - @never, scalar @all;
exit(@never || @all < @names ? 1 : 0);
PERL
