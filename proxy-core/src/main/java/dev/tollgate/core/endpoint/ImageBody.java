package dev.tollgate.core.endpoint;

import dev.tollgate.core.catalog.Drawing;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.InputImage;
import dev.tollgate.core.fetch.Fetched;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How a request for images came, and how it leaves for a provider that speaks OpenAI. */
sealed interface ImageBody {
  String FORMAT = "response_format";

  /** Words alone, in JSON. */
  record Words(JsonMembers root) implements ImageBody {
    @Override
    public Operation operation() {
      return Operation.IMAGE;
    }

    @Override
    public Outgoing outgoing(Route route, Asking asking) {
      JsonSplice edits = spelled(root, route, asking);
      return new Outgoing(edits.toBuffers(), ImageSpelling.refused(root, drawing(route)));
    }
  }

  /**
   * Words and images in JSON.
   *
   * @param here those that were named by URL, by where they stand, none before they were fetched;
   *     or the files of a form
   */
  record Sources(JsonMembers root, Map<Integer, SourceImages.Source> here) implements ImageBody {
    @Override
    public Operation operation() {
      return Operation.IMAGE_EDIT;
    }

    /** Only the images are written anew; whatever stands around them leaves as it came. */
    @Override
    public Outgoing outgoing(Route route, Asking asking) {
      Drawing drawing = drawing(route);
      JsonSplice edits = spelled(root, route, asking);
      ImageSpelling.sources(root, sourcesAt(), here, drawing.sources(), edits);
      ByteBuf[] parts = edits.toBuffers().toArray(ByteBuf[]::new);
      List<ByteBuf> whole = List.of(Unpooled.wrappedBuffer(parts.length, parts));
      return new Outgoing(whole, ImageSpelling.refused(root, drawing));
    }

    private int sourcesAt() {
      return root.indexOf(SourceImages.MEMBER);
    }

    @Override
    public int builtBytes() {
      return SourceImages.referenceBytes(root, sourcesAt(), here);
    }

    @Override
    public List<? extends InputImage> sources() {
      return SourceImages.all(root, sourcesAt(), here);
    }

    @Override
    public int rawBytes() {
      return SourceImages.bytesOf(here);
    }

    @Override
    public List<RemoteImage> remote() {
      return SourceImages.remote(root, sourcesAt());
    }

    @Override
    public ImageBody with(Map<Integer, Fetched.Image> images) {
      Map<Integer, SourceImages.Source> fetched = new HashMap<>();
      images.forEach((at, image) -> fetched.put(at, SourceImages.of(image)));
      return new Sources(root, fetched);
    }
  }

  /** A form with images as its files. */
  record Upload(Form form) implements ImageBody {
    private static final String ROUTING = "routing";

    @Override
    public ImageBody inJson() {
      return ImageForm.inJson(form);
    }

    @Override
    public List<String> beyondJson() {
      return ImageForm.beyondJson(form);
    }

    @Override
    public Operation operation() {
      return Operation.IMAGE_EDIT;
    }

    @Override
    public Outgoing outgoing(Route route, Asking asking) {
      String model = route.upstreamModel();
      var edits =
          switch (asking) {
            case AS_THE_CLIENT -> new Form.Edits(Map.of("model", model), Set.of(ROUTING));
            case FOR_BYTES -> {
              Map<String, String> values =
                  Map.of("model", model, FORMAT, ImageFormat.B64_JSON.wire());
              yield new Form.Edits(values, Set.of(ROUTING));
            }
            case FOR_NOTHING -> new Form.Edits(Map.of("model", model), Set.of(ROUTING, FORMAT));
          };
      return new Outgoing(form.edited(edits), form.contentType(), List.of());
    }
  }

  /** How a provider is asked for the form of its images. */
  enum Asking {
    AS_THE_CLIENT,
    /** What is stored has to be here. */
    FOR_BYTES,
    /** It has but one, and knows no field for it. */
    FOR_NOTHING
  }

  Operation operation();

  Outgoing outgoing(Route route, Asking asking);

  /** The same for a provider that takes no forms. */
  default ImageBody inJson() {
    return this;
  }

  /** Names of fields that JSON has no word for. */
  default List<String> beyondJson() {
    return List.of();
  }

  /** The images that it names by URL. */
  default List<RemoteImage> remote() {
    return List.of();
  }

  /** The same with these images, by where they stand. */
  default ImageBody with(Map<Integer, Fetched.Image> images) {
    return this;
  }

  /** About how many bytes of what leaves are made anew; 0: all of them are the request's own. */
  default int builtBytes() {
    return 0;
  }

  /** The whole request as JSON; empty where it is a form. */
  default Optional<JsonMembers> canonical() {
    return switch (this) {
      case Words words -> Optional.of(words.root());
      case Sources sources -> Optional.of(sources.root());
      case Upload _ -> Optional.empty();
    };
  }

  /** How many bytes that has; 0: it is none. */
  default int canonicalBytes() {
    return canonical().map(root -> root.objectEnd() - root.objectStart()).orElse(0);
  }

  /** The images that others are made of, all of which are here; of a form none. */
  default List<? extends InputImage> sources() {
    return List.of();
  }

  /** How many bytes those have in base64 that do not stand in it so. */
  default int rawBytes() {
    return 0;
  }

  /** How a route's provider wants to be asked. */
  static Drawing drawing(Route route) {
    return route.provider().quirks().deviations().drawing();
  }

  private static JsonSplice spelled(JsonMembers root, Route route, Asking asking) {
    JsonSplice edits = RequestRoot.edited(root, false, route);
    ImageSpelling.edit(root, edits, drawing(route));
    ask(root, edits, asking, drawing(route).bytesWord());
    return edits;
  }

  private static void ask(JsonMembers root, JsonSplice edits, Asking asking, String bytesWord) {
    int format = root.indexOf(FORMAT);
    JsonBytes bytes = JsonBytes.string(bytesWord);
    switch (asking) {
      case AS_THE_CLIENT -> {
        if (format >= 0 && root.isString(format, ImageFormat.B64_JSON.wire())) {
          edits.replace(format, bytes);
        }
      }
      case FOR_BYTES -> {
        if (format < 0) {
          edits.insertLast(FORMAT, bytes);
        } else {
          edits.replace(format, bytes);
        }
      }
      case FOR_NOTHING -> {
        if (format >= 0) {
          edits.delete(format);
        }
      }
    }
  }
}
