package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.multipart.FormPart;
import dev.tollgate.core.http.multipart.MultipartBoundary;
import dev.tollgate.core.http.multipart.MultipartReader;
import dev.tollgate.core.json.StrictUtf8;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Received multipart/form-data body: its parts as ranges of the array that it was received in, and
 * edits for a provider.
 */
public final class MultipartForm {
  private final byte[] bytes;
  private final MultipartBoundary boundary;
  private final List<FormPart> parts;
  private final int end;

  /**
   * @param end offset of the last delimiter
   */
  private MultipartForm(byte[] bytes, MultipartBoundary boundary, List<FormPart> parts, int end) {
    this.bytes = bytes;
    this.boundary = boundary;
    this.parts = List.copyOf(parts);
    this.end = end;
  }

  /**
   * Reads a body.
   *
   * @param contentType Content-Type of the body, which contains the boundary
   */
  public static ParseResult<MultipartForm> read(byte[] bytes, int length, String contentType) {
    Optional<MultipartBoundary> boundary = MultipartBoundary.of(contentType);
    if (boundary.isEmpty()) {
      return refused("the Content-Type names no valid boundary");
    }
    var reader = new MultipartReader(boundary.get());
    reader.read(bytes, length);
    String problem = reader.problem();
    if (problem != null) {
      return refused("the form is broken: " + problem);
    }
    return reader.isComplete()
        ? new ParseResult.Valid<>(
            new MultipartForm(bytes, boundary.get(), reader.parts(), reader.end()))
        : refused("the form is broken: its end is missing");
  }

  private static ParseResult<MultipartForm> refused(String message) {
    return new ParseResult.Refused<>(Fault.of(ErrorCode.VALIDATION_FAILED, message));
  }

  public byte[] bytes() {
    return bytes;
  }

  public List<FormPart> parts() {
    return parts;
  }

  public String contentType() {
    return boundary.contentType();
  }

  /** Returns the first part with this name. */
  public Optional<FormPart> part(String name) {
    return parts.stream().filter(part -> part.name().equals(name)).findFirst();
  }

  /** Returns the text of a field that was checked to be text; empty if absent. */
  public Optional<String> text(String name) {
    return part(name).map(this::text);
  }

  public String text(FormPart part) {
    return new String(bytes, part.from(), part.sizeBytes(), UTF_8);
  }

  public boolean isText(FormPart part) {
    return !part.isFile() && StrictUtf8.isValid(bytes, part.from(), part.to());
  }

  /** Returns the size of a field in bytes; 0 if absent. */
  public int sizeBytes(String name) {
    return part(name).map(FormPart::sizeBytes).orElse(0);
  }

  /** Returns the names of fields that clients of a route's provider have no right to. */
  public List<String> pricedFields(Operation operation, Route route) {
    List<String> found = new ArrayList<>(0);
    for (FormPart part : parts) {
      if (PricedOption.isDropped(
          part.name(), () -> shown(part), operation, route.provider().quirks())) {
        found.add(part.name());
      }
    }
    return found;
  }

  private String shown(FormPart part) {
    return isText(part) ? text(part) : part.name();
  }

  /**
   * Edits of a form's fields for a provider.
   *
   * @param values fields to set, present or not
   * @param without fields to remove
   */
  public record Edits(Map<String, String> values, Set<String> without) {}

  /**
   * Returns the form from its first delimiter to its last, with edits. The rest is unchanged, in
   * slices of the array.
   */
  public List<ByteBuf> edited(Edits edits) {
    List<ByteBuf> out = new ArrayList<>();
    int from = parts.getFirst().start();
    for (int i = 0; i < parts.size(); i++) {
      FormPart part = parts.get(i);
      String value = edits.values.get(part.name());
      if (edits.without.contains(part.name())) {
        add(out, from, part.start());
        from = i + 1 < parts.size() ? parts.get(i + 1).start() : end;
      } else if (value != null) {
        add(out, from, part.from());
        out.add(Unpooled.wrappedBuffer(value.getBytes(UTF_8)));
        from = part.to();
      }
    }
    add(out, from, end);
    edits.values.forEach(
        (field, value) -> {
          if (part(field).isEmpty()) {
            out.add(Unpooled.wrappedBuffer(boundary.field(field, value)));
          }
        });
    out.add(Unpooled.wrappedBuffer(boundary.close()));
    return out;
  }

  private void add(List<ByteBuf> out, int from, int to) {
    if (to > from) {
      out.add(Unpooled.wrappedBuffer(bytes, from, to - from));
    }
  }
}
