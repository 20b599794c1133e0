package dev.tollgate.core.pipeline;

import org.jspecify.annotations.Nullable;

/** Checks of a request's content type: JSON or a multipart form. */
final class MediaType {
  private static final String JSON = "application/json";

  private MediaType() {}

  /** True for {@code application/json}, alone or with {@code charset=utf-8}. */
  static boolean isJson(@Nullable String contentType) {
    if (contentType == null) {
      return false;
    }
    if (contentType.equals(JSON)) {
      return true;
    }
    String[] parts = contentType.split(";", -1);
    if (!parts[0].strip().equalsIgnoreCase(JSON)) {
      return false;
    }
    for (int i = 1; i < parts.length; i++) {
      if (!isUtf8(parts[i].strip())) {
        return false;
      }
    }
    return true;
  }

  /** True for {@code multipart/form-data} with any parameters. */
  static boolean isForm(@Nullable String contentType) {
    return contentType != null
        && contentType.split(";", 2)[0].strip().equalsIgnoreCase("multipart/form-data");
  }

  private static boolean isUtf8(String parameter) {
    return parameter.isEmpty()
        || parameter.equalsIgnoreCase("charset=utf-8")
        || parameter.equalsIgnoreCase("charset=\"utf-8\"");
  }
}
