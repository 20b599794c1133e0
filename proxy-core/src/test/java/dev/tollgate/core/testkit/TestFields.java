package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/** Field lines as a client reads them. */
public final class TestFields {
  private TestFields() {}

  public static List<Field> of(List<FieldLines> lines) {
    ByteBuf out = Unpooled.buffer();
    lines.forEach(each -> each.writeTo(out));
    return out.toString(ISO_8859_1).lines().map(TestFields::parsed).toList();
  }

  private static Field parsed(String line) {
    int colon = line.indexOf(": ");
    return new Field(line.substring(0, colon), line.substring(colon + 2));
  }
}
