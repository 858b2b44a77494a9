# SPDX-License-Identifier: Apache-2.0
# What zsh offers for each line of the input: completion.zsh <LINES, prints the candidates of a line behind one another.
compdef() { }
compset() { }
_files() { }
compadd() { local candidates=$@[-1]; offered+=(${(P)candidates}) }
eval "$(attestone completion zsh)" || exit 1
while IFS= read -r line; do
  words=(${(Q)${(z)line}}) CURRENT=$#words PREFIX=$words[-1] offered=()
  _attestone
  print -r -- "${(j:;:)offered};"
done
