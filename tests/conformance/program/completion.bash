# SPDX-License-Identifier: Apache-2.0
# What bash offers for each line of the input: completion.bash <LINES, prints the replies of a line behind one another.
COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'  # of an interactive shell
eval "$(attestone completion bash)" || exit 1
while IFS= read -r COMP_LINE; do
  COMP_POINT=${#COMP_LINE}
  _attestone
  printf '%s;' "${COMPREPLY[@]}"
  echo
done
