package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.EndpointIdentity;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Connection from the gateway to a provider, seen from the provider's side. */
public final class ProviderLink {
  private final EndpointIdentity endpoint;
  private final PullChannel channel = PullChannel.open();
  private final ByteBufAllocator allocator;
  private final StringBuilder received = new StringBuilder();

  ProviderLink(EndpointIdentity endpoint, ByteBufAllocator allocator) {
    this.endpoint = endpoint;
    this.allocator = allocator;
    channel.config().setAllocator(allocator);
  }

  PullChannel channel() {
    return channel;
  }

  public String host() {
    return endpoint.host();
  }

  /** Delivers bytes to the gateway as one read, when it asks for it. */
  public ProviderLink send(String text) {
    return send(text.getBytes(UTF_8));
  }

  public ProviderLink send(byte[] bytes) {
    return send(bytes, 0, bytes.length);
  }

  public ProviderLink send(byte[] bytes, int from, int to) {
    channel.arrive(allocator.buffer(Math.max(1, to - from)).writeBytes(bytes, from, to - from));
    return this;
  }

  /** Closes the connection with FIN. */
  public void fin() {
    channel.arriveClose();
  }

  /** Aborts the connection. */
  public void reset() {
    channel.arriveReset();
  }

  /** Resets the connection; the gateway learns it at its next write. */
  public void failWrites() {
    channel.failWrites();
  }

  /** Runs an action at the moment in which the gateway next asks for bytes. */
  public void onNextRead(Runnable meanwhile) {
    channel.onNextRead(meanwhile);
  }

  /** Stops or resumes reading what the gateway sends. */
  public void reads(boolean reading) {
    channel.holdWrites(!reading);
  }

  /** True if the gateway still has the connection open. */
  public boolean isOpen() {
    return channel.isOpen();
  }

  /** True if the gateway waits for bytes. */
  public boolean isReadPending() {
    return channel.isReadOpen();
  }

  public int reads() {
    return channel.reads();
  }

  /** Returns all bytes that the gateway sent so far, as Latin-1 text. */
  public String received() {
    for (ByteBuf sent : takeWritten()) {
      received.append(sent.toString(StandardCharsets.ISO_8859_1));
      sent.release();
    }
    return received.toString();
  }

  /**
   * Returns the buffers that the gateway wrote since the last call, unchanged; the caller releases
   * them, and they are not in {@link #received()}.
   */
  public List<ByteBuf> takeWritten() {
    List<ByteBuf> written = new ArrayList<>();
    for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
      written.add(sent);
    }
    return written;
  }

  /** Returns the number of requests on this connection. */
  public int requests() {
    return received().split("POST ", -1).length - 1;
  }

  void closeQuietly() {
    received();
    var _ = channel.close();
    channel.runPendingTasks();
    received();
  }

  @Override
  public String toString() {
    return endpoint.toString();
  }
}
