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
 * Lease of a pooled upstream connection for one request, ended exactly once. The connection returns
 * to its pool only if request and reply were complete in both directions and no other bytes came;
 * otherwise it is closed, which is how an upstream call is canceled. Loop-confined.
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

  /** True if the connection had served before, so that it may be closed by the peer unnoticed. */
  public boolean isReused() {
    return reused;
  }

  /**
   * Sends a request, and takes ownership of it, as fast as the provider reads. If the connection
   * failed while the request was prepared, the listener is notified at once.
   */
  public void send(List<ByteBuf> parts, UpstreamListener listener) {
    assert pool.loop().inEventLoop() && !ended && this.listener == null;
    this.listener = listener;
    unsent.addAll(parts);
    if (pendingFailure != null) {
      connectionFailed(pendingFailure); // the listener ends the lease, which releases the parts
      return;
    }
    isSent = true;
    connection.awaitResponse();
    write();
  }

  /** Requests one read from the socket. */
  public void read() {
    assert !ended;
    connection.channel().read();
  }

  /** Marks the connection as not reusable. */
  public void poison() {
    poisoned = true;
  }

  /** Handles unsolicited bytes, which would be taken for the next reply. */
  void unsolicitedBytesReceived() {
    poisoned = true;
    unsolicited = true;
    pool.unsolicitedBytesReceived();
    if (!isSent) {
      pendingFailure = UNUSED; // no reply can follow them
    }
  }

  /** True if bytes arrived after the reply. */
  public boolean hasUnsolicitedBytes() {
    return unsolicited;
  }

  /**
   * Ends the lease of a reply whose content is complete. If only the end of its framing is missing,
   * that is awaited for a moment, so that the connection can be reused.
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

  /** Ends the lease; an incomplete reply is canceled by closing the connection. */
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
      pendingFailure = UNUSED; // bytes before the request belong to another reply
    }
  }

  /**
   * Continues to write in a task of its own: writing inside a writability event would re-enter the
   * flush.
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
