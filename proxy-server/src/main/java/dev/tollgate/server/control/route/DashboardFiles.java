package dev.tollgate.server.control.route;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.http.Field;
import dev.tollgate.server.account.Refused;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Files of the dashboard, in memory. They come from the distribution, or for development from a
 * folder that is read anew for each request. Without any, a page tells how to get them.
 */
public final class DashboardFiles {
  private static final String FOLDER = "dashboard/";
  private static final String INDEX = "index.html";
  private static final String ASSETS = "assets/";
  private static final String LICENCES = "licences.txt";
  private static final String HTML = "text/html; charset=utf-8";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", HTML,
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "txt", "text/plain; charset=utf-8");
  private static final String MISSING =
      """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Tollgate</title></head><body>
      <h1>Tollgate</h1>
      <p>This build has no dashboard. Build with <code>mvn package -Ddashboard=required</code>,
      which says what is missing. The API under <code>/api/v1</code> works without it.</p>
      </body></html>
      """;
  private static final List<Field> SECURITY =
      List.of(
          new Field(
              "Content-Security-Policy",
              "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:;"
                  + " connect-src 'self'; base-uri 'none'; form-action 'self';"
                  + " frame-ancestors 'none'; object-src 'none';"
                  + " require-trusted-types-for 'script'; trusted-types 'none'"),
          new Field("X-Content-Type-Options", "nosniff"),
          new Field("Referrer-Policy", "no-referrer"),
          new Field("Cross-Origin-Opener-Policy", "same-origin"),
          new Field("Cross-Origin-Resource-Policy", "same-origin"),
          new Field("Permissions-Policy", "camera=(), microphone=(), geolocation=()"));
  private static final Field NO_STORE = new Field("Cache-Control", "no-store");
  private static final Field IMMUTABLE =
      new Field("Cache-Control", "public, max-age=31536000, immutable");
  private static final Field STRICT_TRANSPORT =
      new Field("Strict-Transport-Security", "max-age=31536000");

  private final Map<String, StaticFile> files;
  private final @Nullable Path folder;
  private final boolean tls;

  /**
   * A file.
   *
   * @param gzip the same compressed
   */
  private record StaticFile(String type, byte[] content, byte @Nullable [] gzip) {}

  private DashboardFiles(Map<String, StaticFile> files, @Nullable Path folder, boolean tls) {
    this.files = files;
    this.folder = folder;
    this.tls = tls;
  }

  /**
   * Returns the files of a folder, or those of the distribution.
   *
   * @param folder null: those of the distribution
   * @param tls true if TLS ends at the listener
   */
  public static DashboardFiles open(@Nullable Path folder, boolean tls) {
    return new DashboardFiles(folder == null ? bundled() : Map.of(), folder, tls);
  }

  private static Map<String, StaticFile> bundled() {
    Map<String, StaticFile> files = new HashMap<>();
    byte[] list = resource("assets.json");
    if (list == null) {
      return files;
    }
    for (JsonNode row : ControlJson.parse(list)) {
      String path = row.path("path").asText();
      byte[] content = resource(path);
      if (content == null) {
        throw new IllegalStateException("the distribution lacks " + FOLDER + path);
      }
      files.put(path, new StaticFile(row.path("type").asText(), content, resource(path + ".gz")));
    }
    return files;
  }

  private static byte @Nullable [] resource(String path) {
    ClassLoader loader = DashboardFiles.class.getClassLoader();
    try (InputStream in = loader.getResourceAsStream(FOLDER + path)) {
      return in == null ? null : in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the page that every address of the dashboard shows. */
  ControlReply shell(boolean acceptsGzip) {
    StaticFile index = file(INDEX);
    return index == null
        ? reply(
            new StaticFile(HTML, MISSING.getBytes(StandardCharsets.UTF_8), null), NO_STORE, false)
        : reply(index, NO_STORE, acceptsGzip);
  }

  /**
   * Returns a file whose name changes with its content.
   *
   * @throws Refused 404 if there is none, 501 without a dashboard
   */
  ControlReply asset(String name, boolean acceptsGzip) {
    if (file(INDEX) == null) {
      throw Refused.of(ErrorCode.NOT_CONFIGURED, "This build has no dashboard.");
    }
    StaticFile asset =
        NAME.matcher(name).matches() ? file(name.equals(LICENCES) ? name : ASSETS + name) : null;
    if (asset == null) {
      throw Refused.notFound();
    }
    return reply(asset, folder == null ? IMMUTABLE : NO_STORE, acceptsGzip);
  }

  private @Nullable StaticFile file(String path) {
    if (folder == null) {
      return files.get(path);
    }
    Path at = folder.resolve(path);
    String type = TYPES.get(path.substring(path.lastIndexOf('.') + 1));
    try {
      return type != null && Files.isRegularFile(at)
          ? new StaticFile(type, Files.readAllBytes(at), null)
          : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ControlReply reply(StaticFile file, Field caching, boolean acceptsGzip) {
    List<Field> fields = new ArrayList<>(SECURITY);
    fields.add(caching);
    fields.add(new Field("Vary", "Accept-Encoding"));
    if (tls) {
      fields.add(STRICT_TRANSPORT);
    }
    byte[] compressed = acceptsGzip ? file.gzip() : null;
    if (compressed == null) {
      return new ControlReply.Asset(200, file.type(), file.content(), fields);
    }
    fields.add(new Field("Content-Encoding", "gzip"));
    return new ControlReply.Asset(200, file.type(), compressed, fields);
  }
}
