package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.storage.Blob;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.storage.BlobType;
import dev.tollgate.core.storage.DeleteBlobResult;
import dev.tollgate.core.storage.SignedUrl;
import dev.tollgate.core.storage.StoreBlobResult;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Contract of every {@link BlobStore}; each implementation has a test that extends it. */
public abstract class BlobsContract {
  public static final OrgId ORG = new OrgId(UUID.randomUUID());
  private static final long ANSWER_SECONDS_MAX = 20;

  /** Content of a URL; the bytes are unpooled. */
  public record Fetched(String contentType, ByteBuf content) {
    byte[] bytes() {
      return ByteBufUtil.getBytes(content);
    }
  }

  /** Returns the store under test, whose URLs are valid for an hour. */
  protected abstract BlobStore blobs();

  /** Returns the loop on which the store answers. */
  protected abstract EventLoop loop();

  /** Fetches a URL as a client without a key does; empty: refused. */
  protected abstract Optional<Fetched> fetch(String url);

  /** Returns a URL that was signed {@code ago}. */
  protected abstract SignedUrl urlOf(BlobName name, Duration ago);

  protected final BlobName keep(BlobType type, byte[] bytes) {
    StoreBlobResult stored =
        store(new Blob(ORG, type, Duration.ofDays(7), Unpooled.wrappedBuffer(bytes)));
    assertThat(stored).isInstanceOf(StoreBlobResult.Kept.class);
    return ((StoreBlobResult.Kept) stored).name();
  }

  protected final StoreBlobResult store(Blob blob) {
    var answer = new CompletableFuture<StoreBlobResult>();
    loop()
        .execute(
            () -> {
              var asking = new boolean[] {true};
              blobs()
                  .store(
                      blob,
                      loop(),
                      stored -> {
                        assertThat(asking[0]).as("answers later").isFalse();
                        assertThat(loop().inEventLoop()).isTrue();
                        answer.complete(stored);
                      });
              asking[0] = false;
            });
    return answer.orTimeout(ANSWER_SECONDS_MAX, TimeUnit.SECONDS).join();
  }

  protected final DeleteBlobResult delete(BlobName name) {
    var answer = new CompletableFuture<DeleteBlobResult>();
    loop().execute(() -> blobs().delete(name, loop(), answer::complete));
    return answer.orTimeout(ANSWER_SECONDS_MAX, TimeUnit.SECONDS).join();
  }

  @Test
  void whatIsKeptComesBackByItsUrl() {
    byte[] bytes = "some picture".getBytes(UTF_8);
    BlobName name = keep(BlobType.WEBP, bytes);
    Fetched fetched = fetch(blobs().url(name).url()).orElseThrow();
    assertThat(fetched.bytes()).isEqualTo(bytes);
    assertThat(fetched.contentType()).isEqualTo("image/webp");
  }

  @Test
  void itMayBeEmptyOrLarge() {
    byte[] large = new byte[5 * 1024 * 1024 + 1];
    new Random(5).nextBytes(large);
    for (byte[] bytes : new byte[][] {{}, {7}, large}) {
      Fetched fetched = fetch(blobs().url(keep(BlobType.PNG, bytes)).url()).orElseThrow();
      assertThat(Arrays.equals(fetched.bytes(), bytes)).isTrue();
    }
  }

  @Test
  void bytesInSeveralPiecesAreKeptAsOneAndReleasedOnce() {
    ByteBuf first = PooledByteBufAllocator.DEFAULT.directBuffer().writeBytes(new byte[] {1, 2, 3});
    ByteBuf second = PooledByteBufAllocator.DEFAULT.heapBuffer().writeBytes(new byte[] {4, 5});
    ByteBuf both = Unpooled.wrappedBuffer(first, second).skipBytes(1);
    StoreBlobResult stored = store(new Blob(ORG, BlobType.MP3, Duration.ofDays(1), both));
    assertThat(both.refCnt()).isZero();
    BlobName name = ((StoreBlobResult.Kept) stored).name();
    assertThat(fetch(blobs().url(name).url()).orElseThrow().bytes()).containsExactly(2, 3, 4, 5);
  }

  @Test
  void namesDoNotRepeatAndHideTheOrganization() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      names.add(keep(BlobType.PNG, new byte[] {1}).toString());
    }
    assertThat(names).hasSize(20).noneMatch(name -> name.contains(ORG.toString()));
    assertThat(names).allMatch(name -> BlobName.parse(name).isPresent());
  }

  @Test
  void aUrlIsValidForAnHourFromItsSigning() {
    BlobName name = keep(BlobType.PNG, new byte[] {1, 2});
    SignedUrl young = urlOf(name, Duration.ofMinutes(50));
    SignedUrl old = urlOf(name, Duration.ofMinutes(61));
    assertThat(Duration.between(old.expiresAt(), young.expiresAt()))
        .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(12));
    assertThat(fetch(young.url())).isPresent();
    assertThat(fetch(old.url())).isEmpty();
    assertThat(fetch(blobs().url(name).url())).isPresent();
  }

  @Test
  void aUrlIsGoodForItsBlobAndItsTimeAlone() {
    BlobName one = keep(BlobType.PNG, new byte[] {1});
    BlobName other = keep(BlobType.PNG, new byte[] {2});
    String url = blobs().url(one).url();
    assertThat(fetch(url)).isPresent();
    assertThat(fetch(url.replace(one.id(), other.id()))).isEmpty();
    assertThat(fetch(url.substring(0, url.indexOf('?')))).isEmpty();
    for (int at = url.indexOf('?') + 1; at < url.length(); at++) {
      if (Character.isDigit(url.charAt(at)) && at % 7 == 0) {
        char digit = url.charAt(at) == '9' ? '8' : (char) (url.charAt(at) + 1);
        String altered = url.substring(0, at) + digit + url.substring(at + 1);
        assertThat(fetch(altered)).as(altered).isEmpty();
      }
    }
    assertThat(fetch(old(one))).isEmpty();
  }

  private String old(BlobName name) {
    Instant then = urlOf(name, Duration.ofDays(2)).expiresAt();
    return urlOf(name, Duration.ofDays(2))
        .url()
        .replace(Long.toString(then.getEpochSecond()), Long.toString(then.getEpochSecond() + 9999));
  }

  @Test
  void aDeletedBlobCannotBeFetched() {
    BlobName name = keep(BlobType.MP4, new byte[] {1, 2, 3});
    String url = blobs().url(name).url();
    assertThat(fetch(url)).isPresent();
    assertThat(delete(name)).isInstanceOf(DeleteBlobResult.Gone.class);
    assertThat(fetch(url)).isEmpty();
    assertThat(delete(name)).isInstanceOf(DeleteBlobResult.Gone.class);
  }
}
