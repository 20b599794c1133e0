package dev.tollgate.core.dialect;

/** A plain reply in canonical form, or one that could not be brought into it. */
public final class TranslatedReply {
  private final byte[] bytes;
  private final int length;

  public TranslatedReply(byte[] bytes, int length) {
    this.bytes = bytes;
    this.length = length;
  }

  /** The array; only the first {@link #length()} bytes are the reply. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }
}
