package dev.tollgate.mock;

import dev.tollgate.mock.MockRequest.Vectors;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;

/** Generates the JSON of embedding vectors of length one; equal texts have equal vectors. */
final class VectorText {
  private VectorText() {}

  /** Returns the requested vectors, in the order of their texts. */
  static String list(Vectors asked, SeededWords words) {
    StringBuilder list = new StringBuilder("[");
    for (int i = 0; i < asked.texts().size(); i++) {
      float[] vector = vector(asked.texts().get(i), asked.dimensions(), words);
      list.append(i == 0 ? "" : ",")
          .append("{\"object\":\"embedding\",\"index\":")
          .append(i)
          .append(",\"embedding\":");
      if (asked.base64()) {
        list.append('"').append(base64(vector)).append('"');
      } else {
        numbers(vector, list);
      }
      list.append('}');
    }
    return list.append(']').toString();
  }

  private static float[] vector(int text, int dimensions, SeededWords words) {
    float[] vector = new float[dimensions];
    double squares = 0;
    for (int n = 0; n < dimensions; n++) {
      vector[n] = words.fraction(text, n);
      squares += vector[n] * (double) vector[n];
    }
    double length = squares == 0 ? 1 : Math.sqrt(squares);
    for (int n = 0; n < dimensions; n++) {
      vector[n] = (float) (vector[n] / length);
    }
    return vector;
  }

  /** Encodes little-endian 32-bit floats, as OpenAI does. */
  private static String base64(float[] vector) {
    ByteBuffer bytes =
        ByteBuffer.allocate(vector.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (float number : vector) {
      bytes.putFloat(number);
    }
    return Base64.getEncoder().encodeToString(bytes.array());
  }

  private static void numbers(float[] vector, StringBuilder out) {
    char separator = '[';
    for (float number : vector) {
      out.append(separator).append(number);
      separator = ',';
    }
    out.append(']');
  }
}
