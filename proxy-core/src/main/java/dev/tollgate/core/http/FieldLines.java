package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;

/** One field line of a head, or several that are known together. */
public interface FieldLines {

  /** Writes each with its line end; nothing in them was said by somebody else unchecked. */
  void writeTo(ByteBuf out);
}
