# Rewrites what is CUDA's own grammar, for g++: launches of kernels, and memory that they ask for.
# Usage: perl launches.pl FILE >FILE
use strict;
use warnings;
local $/;
my $name = $ARGV[0];
my $text = <>;
$text =~ s{extern __shared__ __align__\(\d+\) char (\w+)\[\];}{char *const $1 = emulator::shared_memory();}g;
$text =~ s{((?:\w+::)*\w+(?:<[^<>;(){}]*>)?)<<<(.*?)>>>\(}{emulator::with($1, $2)(}gs;
die "$name: a launch is not understood\n" if $text =~ /<<<|>>>|extern __shared__/;
print "#line 1 \"$name\"\n$text";
