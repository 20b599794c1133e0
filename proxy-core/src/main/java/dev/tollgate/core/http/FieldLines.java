package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;

/** One or more HTTP field lines that a head to be sent contains. */
public interface FieldLines {

  /** Writes each line with its line end; values from outside have been checked before. */
  void writeTo(ByteBuf out);
}
