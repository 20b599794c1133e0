package dev.tollgate.server.settings.value;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/** Reason why a file or folder cannot be used, where the JDK's message is its path alone. */
public final class FileFailure {
  private FileFailure() {}

  /** Returns the reason, to follow a colon. */
  public static String reason(IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> "it does not exist";
      case AccessDeniedException _ -> "permission denied";
      case CharacterCodingException _ -> "it is not UTF-8 text";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    };
  }
}
