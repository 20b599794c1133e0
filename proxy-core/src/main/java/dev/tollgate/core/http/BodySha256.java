package dev.tollgate.core.http;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 of a request body, computed in steps: ten megabytes take tens of milliseconds, which
 * would block the event loop. The caller keeps the body and does not change it. It is confined to
 * one event loop.
 */
public final class BodySha256 {
  /** Number of bytes hashed in one step, which takes some tenths of a millisecond. */
  public static final int BYTES_PER_STEP = 128 * 1024;

  private static final byte[] NOT_YET = {};

  private final List<ByteBuf> body;
  private @Nullable MessageDigest digest;
  private int part;
  private int taken;
  private byte[] hash = NOT_YET;

  public BodySha256(List<ByteBuf> body) {
    this.body = body;
  }

  /** True if no step is left. */
  public boolean isDone() {
    return hash.length > 0;
  }

  /** Hashes the next bytes. */
  public void step() {
    MessageDigest digest = digest();
    int left = BYTES_PER_STEP;
    while (left > 0 && part < body.size()) {
      left -= hashUpTo(left, digest);
    }
    if (part == body.size() && !isDone()) {
      hash = digest.digest();
    }
  }

  /** Creates the digest on demand, because most bodies are not signed. */
  private MessageDigest digest() {
    MessageDigest known = digest;
    if (known == null) {
      known = sha256();
      digest = known;
    }
    return known;
  }

  private int hashUpTo(int limit, MessageDigest digest) {
    ByteBuf bytes = body.get(part);
    int length = Math.min(limit, bytes.readableBytes() - taken);
    for (ByteBuffer piece : bytes.nioBuffers(bytes.readerIndex() + taken, length)) {
      digest.update(piece);
    }
    taken += length;
    if (taken == bytes.readableBytes()) {
      part++;
      taken = 0;
    }
    return length;
  }

  /** Returns the hash, after the remaining steps. */
  public byte[] get() {
    while (!isDone()) {
      step();
    }
    return hash.clone();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
