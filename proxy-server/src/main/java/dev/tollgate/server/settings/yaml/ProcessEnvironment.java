package dev.tollgate.server.settings.yaml;

import dev.tollgate.server.settings.value.FileFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Environment variables and text files that the configuration is read from, replaceable in tests.
 *
 * @param variables variables by name
 */
public record ProcessEnvironment(Map<String, String> variables, TextFiles files) {

  /** Reader of whole files as strict UTF-8. */
  @FunctionalInterface
  public interface TextFiles {
    String read(Path file) throws IOException;
  }

  /** Result of reading a file: its text, or why there is none. */
  public sealed interface FileText {
    record Content(String text) implements FileText {}

    /** The file cannot be read; the reason is to follow a colon. */
    record Unreadable(String reason) implements FileText {}
  }

  /** Returns the environment and file system of this process. */
  public static ProcessEnvironment current() {
    return new ProcessEnvironment(System.getenv(), ProcessEnvironment::readUtf8);
  }

  /** Reads a whole file, without its byte order mark. */
  public FileText read(Path file) {
    try {
      String text = files.read(file);
      return new FileText.Content(text.startsWith("\ufeff") ? text.substring(1) : text);
    } catch (IOException e) {
      return new FileText.Unreadable(FileFailure.reason(e));
    }
  }

  private static String readUtf8(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new FileSystemException(file.toString(), null, "it is a folder");
    }
    byte[] bytes = Files.readAllBytes(file);
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }
}
