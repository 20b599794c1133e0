package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;

/** One field line of a head, or several that are added together. */
public interface FieldLines {

  /** Writes each line with its line end; values from outside have been checked before. */
  void writeTo(ByteBuf out);
}
