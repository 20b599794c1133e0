package dev.tollgate.core.storage;

import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/** Port to the bytes of blobs that this gateway serves itself. */
public interface BlobFiles {
  /** Opens what is kept under a name; the answer comes on {@code loop}, later. */
  void open(BlobName name, EventLoop loop, Consumer<Opened> whenDone);

  /** What came of opening. */
  sealed interface Opened {
    /** It is there; the file is the caller's to close. */
    record Found(BlobFile file) implements Opened {}

    record Absent() implements Opened {}

    /** The disk failed, or has too much to do. */
    record Unavailable(String reason) implements Opened {}
  }
}
