# Copies the part of MathJax that draws TeX as SVG, 2 MiB of 50. Run with -DFROM=<folder> -DTO=<folder>.
file(COPY ${FROM}/MathJax.js ${FROM}/extensions DESTINATION ${TO})
file(COPY ${FROM}/jax/element DESTINATION ${TO}/jax)
file(COPY ${FROM}/jax/input/TeX DESTINATION ${TO}/jax/input)
file(COPY ${FROM}/jax/output/SVG DESTINATION ${TO}/jax/output PATTERN fonts/* EXCLUDE)
file(COPY ${FROM}/jax/output/SVG/fonts/TeX DESTINATION ${TO}/jax/output/SVG/fonts)
