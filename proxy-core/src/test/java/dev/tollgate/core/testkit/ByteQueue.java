package dev.tollgate.core.testkit;

import java.io.ByteArrayOutputStream;

/** Bytes appended at the end and taken from the start. */
final class ByteQueue extends ByteArrayOutputStream {
  /** Returns the array, of which the first {@link #size} bytes are valid. */
  byte[] array() {
    return buf;
  }

  void drop(int bytes) {
    System.arraycopy(buf, bytes, buf, 0, count - bytes);
    count -= bytes;
  }
}
