package dev.tollgate.mock;

/** Delimitation of a reply's body. */
enum BodyCoding {
  LENGTH,
  CHUNKED,
  UNTIL_CLOSE
}
