package dev.tollgate.core.upstream;

import dev.tollgate.core.http.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The right to send one request over one connection, ended exactly once. The connection goes back
 * to its pool only if request and reply were complete in both directions and nothing else came;
 * else it is closed, which is how an upstream call is cancelled. Loop-confined.
 */
public final class Lease {
  private static final long LINGER_MILLIS = 1_000;
  private static final ConnectionFailure UNUSED = new ConnectionFailure.Closed(false);

  private final UpstreamConnection connection;
  private final EndpointPool pool;
  private final boolean reused;
  private final ArrayDeque<ByteBuf> unsent = new ArrayDeque<>();
  private @Nullable UpstreamListener listener;
  private @Nullable ConnectionFailure pendingFailure;
  private @Nullable ScheduledFuture<?> lingering;
  private boolean isSent;
  private boolean writeScheduled;
  private boolean requestWritten;
  private boolean responseEnded;
  private boolean keepAlive;
  private boolean poisoned;
  private boolean unsolicited;
  private boolean ended;

  Lease(UpstreamConnection connection, EndpointPool pool, boolean reused) {
    this.connection = connection;
    this.pool = pool;
    this.reused = reused;
    connection.leasedTo(this);
  }

  /** Whether the connection had served before, so that it may have gone stale unnoticed. */
  public boolean isReused() {
    return reused;
  }

  /**
   * Sends a request, owned from here on, as fast as the provider takes it. What broke while the
   * request was being made, the listener is told at once.
   */
  public void send(List<ByteBuf> parts, UpstreamListener listener) {
    assert pool.loop().inEventLoop() && !ended && this.listener == null;
    this.listener = listener;
    unsent.addAll(parts);
    if (pendingFailure != null) {
      connectionFailed(pendingFailure); // whoever hears it ends the lease, and the parts with it
      return;
    }
    isSent = true;
    connection.awaitResponse();
    write();
  }

  /** Asks for one read from the socket. */
  public void read() {
    assert !ended;
    connection.channel().read();
  }

  /** Says that the connection must not serve again. */
  public void poison() {
    poisoned = true;
  }

  /** Bytes came that no request asked for: who reads them takes them for the next reply. */
  void unsolicitedBytesReceived() {
    poisoned = true;
    unsolicited = true;
    pool.unsolicitedBytesReceived();
    if (!isSent) {
      pendingFailure = UNUSED; // no reply can follow them
    }
  }

  /** Whether bytes came behind the reply. */
  public boolean hasUnsolicitedBytes() {
    return unsolicited;
  }

  /**
   * Ends the lease of a reply that said all it had to say. Where only the framing's end is missing,
   * that is awaited for a moment, so that the connection can serve again.
   */
  public void finish() {
    assert pool.loop().inEventLoop() && !ended : "a lease ends once";
    if (responseEnded || poisoned || !requestWritten) {
      end();
      return;
    }
    listener = null;
    lingering = pool.loop().schedule(this::end, LINGER_MILLIS, TimeUnit.MILLISECONDS);
    connection.channel().read();
  }

  /** Ends the lease; a reply that is not over is cancelled by closing the connection. */
  public void end() {
    assert pool.loop().inEventLoop() && !ended : "a lease ends once";
    if (lingering != null) {
      lingering.cancel(false);
    }
    ended = true;
    listener = null;
    connection.leasedTo(null);
    boolean complete = requestWritten && responseEnded;
    unsent.forEach(ByteBuf::release);
    unsent.clear();
    pool.ended(connection, complete && keepAlive && !poisoned);
  }

  void head(ResponseHead head) {
    keepAlive = head.keepAlive();
    if (listener != null) {
      listener.head(head);
    }
  }

  void body(ByteBuf bytes) {
    if (listener != null) {
      listener.body(bytes);
      return;
    }
    boolean lines = bytes.forEachByte(b -> b == '\r' || b == '\n') >= 0;
    bytes.release();
    if (lines && !poisoned) {
      unsolicitedBytesReceived();
    }
  }

  void readComplete() {
    if (listener != null) {
      listener.readComplete();
    } else if (lingering != null && poisoned) {
      end();
    } else if (lingering != null) {
      connection.channel().read();
    }
  }

  void bodyEnd() {
    responseEnded = true;
    if (listener != null) {
      listener.bodyEnd();
    } else if (lingering != null) {
      end();
    }
  }

  void connectionFailed(ConnectionFailure failure) {
    poisoned = true;
    UpstreamListener notified = listener;
    listener = null;
    if (lingering != null) {
      end();
    } else if (notified != null && !responseEnded) {
      notified.connectionFailed(failure);
    } else if (!isSent) {
      pendingFailure = UNUSED; // what began before was the reply to another
    }
  }

  /**
   * Writes on in a task of its own: writing inside a writability event would re-enter the flush.
   */
  void writeSoon() {
    if (!writeScheduled && !unsent.isEmpty()) {
      writeScheduled = true;
      pool.loop()
          .execute(
              () -> {
                writeScheduled = false;
                if (!ended) {
                  write();
                }
              });
    }
  }

  private void write() {
    Channel channel = connection.channel();
    boolean wrote = false;
    while (!unsent.isEmpty() && channel.isWritable()) {
      ByteBuf part = unsent.poll();
      if (unsent.isEmpty()) {
        channel.write(part).addListener(done -> wrote(done.isSuccess()));
      } else {
        channel.write(part, channel.voidPromise()); // its failure is an exception of the channel
      }
      wrote = true;
    }
    if (wrote) {
      channel.flush();
    }
  }

  private void wrote(boolean success) {
    requestWritten = success;
    if (!success && !ended) {
      connection.writeFailed();
    }
  }
}
