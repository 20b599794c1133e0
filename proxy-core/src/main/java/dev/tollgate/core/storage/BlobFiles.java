package dev.tollgate.core.storage;

import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/** Port to the bytes of blobs that the gateway serves itself. */
public interface BlobFiles {
  /** Opens a blob; the result arrives on {@code loop}, after this method has returned. */
  void open(BlobName name, EventLoop loop, Consumer<Opened> whenDone);

  /** Result of opening a blob. */
  sealed interface Opened {
    /** The blob exists; the caller closes the file. */
    record Found(BlobFile file) implements Opened {}

    record Absent() implements Opened {}

    /** The disk failed or is overloaded. */
    record Unavailable(String reason) implements Opened {}
  }
}
