package dev.tollgate.server.settings.yaml;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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

  /** Returns the environment and file system of this process. */
  public static ProcessEnvironment current() {
    return new ProcessEnvironment(System.getenv(), ProcessEnvironment::readUtf8);
  }

  private static String readUtf8(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }
}
