package dev.tollgate.core.testkit;

import java.io.ByteArrayOutputStream;

/** Bytes that grow at their end and are taken from their start. */
final class ByteQueue extends ByteArrayOutputStream {
  /** The array itself, of which the first {@link #size} bytes are meant. */
  byte[] array() {
    return buf;
  }

  void drop(int bytes) {
    System.arraycopy(buf, bytes, buf, 0, count - bytes);
    count -= bytes;
  }
}
