package dev.tollgate.core.storage;

import io.netty.channel.EventLoop;
import java.util.function.Consumer;

/** Port for opening the stored blobs whose bytes the gateway itself serves to clients. */
public interface BlobFiles {
  /** Opens a blob; the result arrives on {@code loop}, after this method has returned. */
  void open(BlobName name, EventLoop loop, Consumer<Opened> whenDone);

  /** Open file of a blob, or the reason why there is none. */
  sealed interface Opened {
    /** The blob exists; the caller closes the file. */
    record Found(BlobFile file) implements Opened {}

    record Absent() implements Opened {}

    /** The disk failed or is overloaded. */
    record Unavailable(String reason) implements Opened {}
  }
}
