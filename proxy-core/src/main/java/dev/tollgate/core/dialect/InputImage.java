package dev.tollgate.core.dialect;

import io.netty.buffer.ByteBuf;

/**
 * Input image of a request, sent inline by the client or fetched from its URL, that can be written
 * in base64.
 */
public interface InputImage {
  String mediaType();

  /** Returns about how many bytes {@link #writeTo} appends. */
  int sizeBytes();

  /** Appends the image in base64, as a JSON string. */
  void writeTo(ByteBuf out);
}
