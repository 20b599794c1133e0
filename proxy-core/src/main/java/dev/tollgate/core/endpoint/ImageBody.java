package dev.tollgate.core.endpoint;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Set;

/** How a request for images came, and how it leaves for a provider that speaks OpenAI. */
sealed interface ImageBody {
  /** Words alone, in JSON. */
  record Words(JsonMembers root) implements ImageBody {
    @Override
    public Operation operation() {
      return Operation.IMAGE;
    }

    @Override
    public Outgoing outgoing(Route route) {
      return Outgoing.whole(RequestRoot.edited(root, false, route).toBuffers());
    }
  }

  /** Words and images in JSON. */
  record Sources(JsonMembers root) implements ImageBody {
    @Override
    public Operation operation() {
      return Operation.IMAGE_EDIT;
    }

    /** Only the images are written anew; whatever stands around them leaves as it came. */
    @Override
    public Outgoing outgoing(Route route) {
      JsonSplice edits = RequestRoot.edited(root, false, route);
      edits.insertAfter(sourcesAt(), "images", SourceImages.references(root, sourcesAt()));
      edits.delete(sourcesAt());
      ByteBuf[] parts = edits.toBuffers().toArray(ByteBuf[]::new);
      return Outgoing.whole(List.of(Unpooled.wrappedBuffer(parts.length, parts)));
    }

    private int sourcesAt() {
      return root.indexOf(SourceImages.MEMBER);
    }

    @Override
    public int builtBytes() {
      return SourceImages.referenceBytes(root, sourcesAt());
    }
  }

  /** A form with images as its files. */
  record Upload(Form form) implements ImageBody {
    private static final Set<String> UNSENT = Set.of("routing");

    @Override
    public Operation operation() {
      return Operation.IMAGE_EDIT;
    }

    @Override
    public Outgoing outgoing(Route route) {
      List<ByteBuf> body = form.edited("model", route.upstreamModel(), UNSENT);
      return new Outgoing(body, form.contentType(), List.of());
    }
  }

  Operation operation();

  Outgoing outgoing(Route route);

  /** About how many bytes of what leaves are made anew; 0: all of them are the request's own. */
  default int builtBytes() {
    return 0;
  }
}
