package dev.tollgate.core.api.image;

import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.storage.BlobType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Source image of a job that goes to the storage, from where its provider fetches it. */
public interface JobImage {
  BlobType type();

  /** Returns an upper bound of the size in bytes. */
  int bytesMax();

  /** Returns the bytes, which the caller releases. */
  ByteBuf decoded();

  /** Image that the gateway fetched. */
  record Fetched(FetchResult.Image image) implements JobImage {
    @Override
    public BlobType type() {
      return image.type();
    }

    @Override
    public int bytesMax() {
      return image.length();
    }

    @Override
    public ByteBuf decoded() {
      return Unpooled.wrappedBuffer(image.bytes(), 0, image.length());
    }
  }
}
