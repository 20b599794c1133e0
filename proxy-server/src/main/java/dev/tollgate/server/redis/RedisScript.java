package dev.tollgate.server.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Lua script for rate limit counters, executed atomically by Redis, with its text and the digest by
 * which Redis identifies it.
 */
enum RedisScript {
  ACQUIRE("buckets", "acquire"),
  END("buckets", "end"),
  HEARTBEAT("heartbeat"),
  RESTATE("restate");

  private final String text;
  private final String digest;

  RedisScript(String... files) {
    this.text = String.join("\n", List.of(files).stream().map(RedisScript::read).toList());
    this.digest = sha1(text);
  }

  String text() {
    return text;
  }

  String digest() {
    return digest;
  }

  private static String read(String file) {
    String name = "/redis/" + file + ".lua";
    try (InputStream in = RedisScript.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
