package dev.tollgate.server.jobs;

import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.storage.BlobType;
import io.netty.buffer.ByteBuf;
import java.util.Locale;
import java.util.Optional;

/**
 * Detector of an output file's media type by its first bytes. The provider's content type must not
 * contradict them: an error page is no video, whatever its status was.
 */
final class FileKind {
  private static final int FTYP = 0x66747970;
  private static final int EBML = 0x1A45DFA3;
  private static final int RIFF = 0x52494646;
  private static final int WAVE = 0x57415645;
  private static final int FLAC = 0x664c6143;
  private static final int ID3 = 0x494433;
  private static final int MPEG_MARK = 0x7ff;

  private FileKind() {}

  /** Returns the type, or empty if no job of this kind makes such a file. */
  static Optional<BlobType> of(JobKind kind, String contentType, ByteBuf file) {
    String declared = contentType.toLowerCase(Locale.ROOT).split(";", 2)[0].strip();
    String family = kind == JobKind.VIDEO ? "video/" : "audio/";
    if (!declared.startsWith(family) && !declared.equals("application/octet-stream")) {
      return Optional.empty();
    }
    return byBytes(file).filter(type -> type.mediaType().startsWith(family));
  }

  private static Optional<BlobType> byBytes(ByteBuf file) {
    if (file.readableBytes() < 12) {
      return Optional.empty();
    }
    int at = file.readerIndex();
    int first = file.getInt(at);
    if (file.getInt(at + 4) == FTYP) {
      return Optional.of(BlobType.MP4);
    }
    if (first == RIFF) {
      return file.getInt(at + 8) == WAVE ? Optional.of(BlobType.WAV) : Optional.empty();
    }
    if (first == EBML) {
      return Optional.of(BlobType.WEBM);
    }
    if (first == FLAC) {
      return Optional.of(BlobType.FLAC);
    }
    boolean isMp3 = first >>> 8 == ID3 || first >>> 21 == MPEG_MARK;
    return isMp3 ? Optional.of(BlobType.MP3) : Optional.empty();
  }
}
