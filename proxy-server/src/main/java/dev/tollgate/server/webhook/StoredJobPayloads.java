package dev.tollgate.server.webhook;

import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobJson;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.webhook.ClaimedEvent;
import dev.tollgate.core.webhook.Outbox.OutboxException;
import dev.tollgate.server.postgres.jobs.JobViews;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Payloads of webhook events, made from the jobs in the store: the same objects as in the API.
 * Calls wait here for a connection, so that webhooks do not take the pool's connections from
 * clients.
 */
public final class StoredJobPayloads implements JobPayloads {
  private static final int CONNECTIONS = 2;
  private static final int BYTES_INITIAL = 2_048;

  private final JobViews views;
  private final BlobStore blobs;
  private final Semaphore connections = new Semaphore(CONNECTIONS);

  public StoredJobPayloads(JobViews views, BlobStore blobs) {
    this.views = views;
    this.blobs = blobs;
  }

  @Override
  public Optional<byte[]> of(ClaimedEvent due) throws OutboxException {
    connections.acquireUninterruptibly();
    try {
      return views.find(due.org(), new JobId(due.job())).map(this::text);
    } catch (SQLException e) {
      throw new OutboxException(String.valueOf(e.getMessage()), e);
    } finally {
      connections.release();
    }
  }

  private byte[] text(Job job) {
    ByteBuf out = Unpooled.buffer(BYTES_INITIAL);
    new JsonWriter(out).value(JobJson.tree(job, blobs::url));
    return ByteBufUtil.getBytes(out);
  }
}
