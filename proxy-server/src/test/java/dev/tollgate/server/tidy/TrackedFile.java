package dev.tollgate.server.tidy;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A file that is, or is about to be, under version control: its path from the root and its text.
 */
record TrackedFile(String path, long bytes, String text) {

  /** The file with this content; a file that is not UTF-8 counts as binary and has no text. */
  static TrackedFile of(String path, byte[] content) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException binary) {
      text = "";
    }
    return new TrackedFile(path, content.length, text);
  }

  static TrackedFile of(String path, String text) {
    return of(path, text.getBytes(StandardCharsets.UTF_8));
  }

  List<String> lines() {
    return text.lines().toList();
  }

  boolean isJava() {
    return path.endsWith(".java");
  }

  boolean isMainJava() {
    return isJava() && path.contains("src/main/java/");
  }

  boolean isTestJava() {
    return isJava() && path.contains("src/test/java/");
  }

  boolean isMigration() {
    return folder().endsWith("src/main/resources/db/migration");
  }

  String folder() {
    return path.substring(0, Math.max(0, path.lastIndexOf('/')));
  }

  String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
