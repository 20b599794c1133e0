package dev.tollgate.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobFailure;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import dev.tollgate.core.storage.s3.S3BlobStore;
import dev.tollgate.core.storage.s3.S3Bucket;
import dev.tollgate.core.testkit.BlobsContract;
import dev.tollgate.core.upstream.SocketConnector;
import dev.tollgate.core.upstream.Upstreams;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A bucket fulfils the contract of all stores, with a real server that checks signatures. */
class S3ServerBlobsTest extends BlobsContract {
  private static final MultiThreadIoEventLoopGroup LOOPS =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private static @Nullable S3Server server;
  private static @Nullable Upstreams upstreams;

  @BeforeAll
  static void start() throws Exception {
    server = S3Server.start();
    upstreams =
        new Upstreams(
            new SocketConnector(
                new ReflectiveChannelFactory<>(NioSocketChannel.class),
                DefaultAddressResolverGroup.INSTANCE,
                SslContextBuilder.forClient().build(),
                PooledByteBufAllocator.DEFAULT));
  }

  @AfterAll
  static void stop() {
    upstreams().close();
    LOOPS.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    server().close();
  }

  private static S3Server server() {
    if (server == null) {
      throw new IllegalStateException("not started");
    }
    return server;
  }

  private static Upstreams upstreams() {
    if (upstreams == null) {
      throw new IllegalStateException("not started");
    }
    return upstreams;
  }

  private static S3BlobStore blobs(S3Bucket bucket, InstantSource clock) {
    return new S3BlobStore(bucket, upstreams(), PooledByteBufAllocator.DEFAULT, clock);
  }

  @Override
  protected BlobStore blobs() {
    return blobs(server().bucket(), InstantSource.system());
  }

  @Override
  protected EventLoop loop() {
    return LOOPS.next();
  }

  @Override
  protected SignedUrl urlOf(BlobName name, Duration ago) {
    return blobs(server().bucket(), () -> Instant.now().minus(ago)).url(name);
  }

  @Override
  protected Optional<Fetched> fetch(String url) {
    try {
      HttpResponse<byte[]> response = S3Server.get(url);
      int status = response.statusCode();
      if (status != 200) {
        assertThat(status).isBetween(400, 404);
        return Optional.empty();
      }
      assertThat(response.headers().firstValue("content-disposition")).contains("attachment");
      String type = response.headers().firstValue("content-type").orElse("");
      return Optional.of(new Fetched(type, Unpooled.wrappedBuffer(response.body())));
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Test
  void theServerChecksWhoStoresAndWhoFetches() throws Exception {
    S3BlobStore stranger = blobs(server().bucket("not-the-secret"), InstantSource.system());
    assertThat(ask(stranger))
        .isEqualTo(
            new StoreBlobResult.Unavailable(BlobFailure.REFUSED, "403 SignatureDoesNotMatch"));
    S3BlobStore late = blobs(server().bucket(), () -> Instant.now().minus(Duration.ofHours(1)));
    assertThat(ask(late))
        .isEqualTo(
            new StoreBlobResult.Unavailable(BlobFailure.REFUSED, "403 RequestTimeTooSkewed"));
    BlobName name = keep(BlobType.PNG, new byte[] {1, 2, 3});
    assertThat(S3Server.get(stranger.url(name).url()).statusCode()).isEqualTo(403);
    assertThat(S3Server.get(urlOf(name, Duration.ofMinutes(61)).url()).statusCode()).isEqualTo(403);
    assertThat(S3Server.get(blobs().url(name).url()).statusCode()).isEqualTo(200);
  }

  private StoreBlobResult ask(BlobStore of) {
    var answer = new CompletableFuture<StoreBlobResult>();
    var bytes = Unpooled.buffer().writeByte(1);
    var blob = new Blob(ORG, BlobType.PNG, Duration.ofDays(1), bytes);
    EventLoop loop = loop();
    loop.execute(() -> of.store(blob, loop, answer::complete));
    return answer.join();
  }
}
