package dev.tollgate.core.dialect;

import io.netty.buffer.ByteBuf;

/** One of the images that others are made of, whether the client sent it or named its address. */
public interface InputImage {
  String mediaType();

  /** About how many bytes {@link #writeTo} appends. */
  int sizeBytes();

  /** Appends it in base64, as a JSON string. */
  void writeTo(ByteBuf out);
}
