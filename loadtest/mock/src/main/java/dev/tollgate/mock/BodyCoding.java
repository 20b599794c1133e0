package dev.tollgate.mock;

/** Way in which the mock provider marks the end of a reply's body. */
enum BodyCoding {
  LENGTH,
  CHUNKED,
  UNTIL_CLOSE
}
