package dev.tollgate.core.storage.s3;

import dev.tollgate.core.aws.S3Signature;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Blob store in an S3-compatible bucket, called over the gateway's upstream connections. Names are
 * never reused, so a request that may have been lost is simply sent again. Shared by all loops.
 */
public final class S3BlobStore implements BlobStore {
  /** Bytes hashed in one task of the loop: a fraction of a millisecond. */
  private static final int HASHED_BYTES_PER_TASK = 128 * 1024;

  private final S3Bucket bucket;
  private final S3Signature signature;
  private final Upstreams upstreams;
  private final ByteBufAllocator allocator;
  private final InstantSource clock;

  public S3BlobStore(
      S3Bucket bucket, Upstreams upstreams, ByteBufAllocator allocator, InstantSource clock) {
    this.bucket = bucket;
    this.signature = new S3Signature(bucket.keys());
    this.upstreams = upstreams;
    this.allocator = allocator;
    this.clock = clock;
  }

  @Override
  public void store(Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
    BlobName name = BlobName.of(blob, clock.instant());
    loop.execute(
        () -> hash(blob, 0, S3Signature.newDigest(), loop, put(name, blob, loop, whenDone)));
  }

  /** Hashes a large body in steps, so that the loop serves others in between. */
  private static void hash(
      Blob blob, int from, MessageDigest digest, EventLoop loop, Consumer<String> then) {
    ByteBuf bytes = blob.bytes();
    int length = Math.min(HASHED_BYTES_PER_TASK, bytes.readableBytes() - from);
    for (var part : bytes.nioBuffers(bytes.readerIndex() + from, length)) {
      digest.update(part);
    }
    int to = from + length;
    if (to == bytes.readableBytes()) {
      then.accept(S3Signature.hash(digest));
    } else {
      loop.execute(() -> hash(blob, to, digest, loop, then));
    }
  }

  private Consumer<String> put(
      BlobName name, Blob blob, EventLoop loop, Consumer<StoreBlobResult> whenDone) {
    return sha256 -> {
      List<Field> extraFields =
          List.of(
              new Field("content-type", blob.type().mediaType()),
              new Field("content-disposition", "attachment"),
              new Field("cache-control", "private, no-store"));
      call("PUT", name, extraFields, sha256, blob.bytes(), loop)
          .start(
              outcome -> {
                blob.bytes().release();
                switch (outcome) {
                  case S3Call.Outcome.Done _ -> whenDone.accept(new StoreBlobResult.Kept(name));
                  case S3Call.Outcome.Failed failed -> {
                    if (failed.isInDoubt()) {
                      delete(name, loop, _ -> {}); // its name was never given out
                    }
                    whenDone.accept(
                        new StoreBlobResult.Unavailable(failed.failure(), failed.reason()));
                  }
                }
              });
    };
  }

  @Override
  public void delete(BlobName name, EventLoop loop, Consumer<DeleteBlobResult> whenDone) {
    S3Call call = call("DELETE", name, List.of(), S3Signature.EMPTY_SHA256, null, loop);
    loop.execute(
        () ->
            call.start(
                outcome ->
                    whenDone.accept(
                        switch (outcome) {
                          case S3Call.Outcome.Done _ -> new DeleteBlobResult.Gone();
                          case S3Call.Outcome.Failed failed ->
                              new DeleteBlobResult.Unavailable(failed.failure(), failed.reason());
                        })));
  }

  private S3Call call(
      String method,
      BlobName name,
      List<Field> extraFields,
      String sha256,
      @Nullable ByteBuf body,
      EventLoop loop) {
    String path = bucket.path(name);
    String host = bucket.endpoint().authority();
    return new S3Call(
        new S3Request(
            method,
            path,
            () -> signature.fields(method, host, path, extraFields, sha256, clock.instant()),
            body),
        bucket,
        upstreams.on(loop),
        allocator,
        loop);
  }

  @Override
  public SignedUrl url(BlobName name) {
    var now = clock.instant();
    String path = bucket.path(name);
    String query =
        signature.presignedQuery(bucket.endpoint().authority(), path, bucket.urlTtl(), now);
    String scheme = bucket.endpoint().tls() ? "https://" : "http://";
    return new SignedUrl(
        scheme + bucket.endpoint().authority() + path + "?" + query, now.plus(bucket.urlTtl()));
  }
}
