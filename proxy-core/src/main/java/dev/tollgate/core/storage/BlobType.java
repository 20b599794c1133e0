package dev.tollgate.core.storage;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Optional;

/**
 * Content type of a stored blob, from a closed list. Content that a browser would execute cannot be
 * stored, so none is ever served.
 */
public enum BlobType {
  PNG("image/png", "png"),
  JPEG("image/jpeg", "jpg"),
  WEBP("image/webp", "webp"),
  GIF("image/gif", "gif"),
  MP4("video/mp4", "mp4"),
  WEBM("video/webm", "webm"),
  MP3("audio/mpeg", "mp3"),
  WAV("audio/wav", "wav"),
  FLAC("audio/flac", "flac");

  private static final int RIFF = 0x52494646;

  private final String mediaType;
  private final String extension;

  BlobType(String mediaType, String extension) {
    this.mediaType = mediaType;
    this.extension = extension;
  }

  /** Returns the value of {@code Content-Type}. */
  public String mediaType() {
    return mediaType;
  }

  /** Returns the file extension without the dot. */
  public String extension() {
    return extension;
  }

  static Optional<BlobType> ofExtension(String extension) {
    return Arrays.stream(values()).filter(type -> type.extension.equals(extension)).findFirst();
  }

  /** Detects the type of an image by its first bytes, whatever its declared type. */
  public static Optional<BlobType> ofImage(ByteBuf bytes) {
    int at = bytes.readerIndex();
    if (bytes.readableBytes() < 12) {
      return Optional.empty();
    }
    int first = bytes.getInt(at);
    if (first == 0x89504E47 && bytes.getInt(at + 4) == 0x0D0A1A0A) {
      return Optional.of(PNG);
    }
    if (first >>> 8 == 0xFFD8FF) {
      return Optional.of(JPEG);
    }
    if (first == RIFF && bytes.getInt(at + 8) == 0x57454250) {
      return Optional.of(WEBP);
    }
    return first == 0x47494638 ? Optional.of(GIF) : Optional.empty();
  }
}
