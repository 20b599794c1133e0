import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipFile;

/**
 * Build of the dashboard without Node: unpacks Preact and esbuild, bundles the sources and lists
 * the files, compressed, in {@code assets.json}. Run as a single file: {@code java Dashboard.java
 * <sources> <work> <classes> <required|optional|skip>}; unchanged sources are left alone.
 */
final class Dashboard {
  private static final int GZIP_BYTES_MAX = 120 * 1024;
  private static final String PACKED = "META-INF/resources/webjars/([^/]+)/[^/]+(/.*[^/])";
  private static final String VERSION = "(0\\.(2[5-9]|[3-9]\\d|\\d{3,})|[1-9]\\d*)\\..*\\s*";
  private static final Map<String, String> TYPES =
      Map.of("html", "text/html", "js", "text/javascript", "css", "text/css", "txt", "text/plain");

  public static void main(String[] args) throws Exception {
    Path sources = Path.of(args[0]);
    Path work = Path.of(args[1]);
    Path out = Path.of(args[2], "dashboard");
    Path stamp = out.resolve("source.sha256");
    String hash = sha256(contents(sources, work.resolve("artifacts"), Path.of("src/build")));
    if (args[3].equals("skip") || Files.exists(stamp) && Files.readString(stamp).equals(hash)) {
      return;
    }
    unpack(work);
    String esbuild = esbuild(work);
    if (esbuild.isEmpty()) {
      System.err.println("WARNING: no dashboard, as no esbuild: -Ddashboard.esbuild=FILE");
      System.exit(args[3].equals("required") ? 1 : 0);
    }
    files(out).forEach(old -> old.toFile().delete());
    Path assets = Files.createDirectories(out.resolve("assets"));
    bundle(esbuild, sources, work, assets);
    String index = Files.readString(sources.resolve("index.html"));
    for (Path file : files(assets)) {
      String name = file.getFileName().toString();
      index = index.replace("/" + name.replaceFirst("-[^-]+\\.", "."), "/" + name);
    }
    Files.writeString(out.resolve("index.html"), index);
    String licence = Files.readString(work.resolve("node_modules/preact/LICENSE"));
    Files.writeString(out.resolve("licences.txt"), "Preact\n\n" + licence);
    list(out);
    Files.writeString(stamp, hash);
  }

  private static void bundle(String esbuild, Path sources, Path work, Path assets)
      throws Exception {
    String flags =
        "--bundle --splitting --format=esm --target=es2022 --minify --jsx=automatic"
            + " --jsx-import-source=preact --entry-names=[name]-[hash] --chunk-names=[name]-[hash]";
    List<String> command = new ArrayList<>(List.of(esbuild, sources.resolve("main.tsx") + ""));
    command.addAll(List.of(flags.split(" ")));
    command.addAll(List.of("--log-level=warning", "--outdir=" + assets));
    ProcessBuilder process = new ProcessBuilder(command).inheritIO();
    process.environment().clear();
    // No folder node_modules is above the sources: esbuild looks here for packages then.
    process.environment().put("NODE_PATH", work.resolve("node_modules").toAbsolutePath() + "");
    if (process.start().waitFor() != 0) {
      throw new IOException("esbuild refuses the sources of the dashboard");
    }
  }

  /** Compresses each file and writes what it is to assets.json; refuses too large a bundle. */
  private static void list(Path out) throws IOException, NoSuchAlgorithmException {
    List<String> rows = new ArrayList<>();
    int sum = 0;
    for (Path file : files(out)) {
      byte[] bytes = Files.readAllBytes(file);
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (var gzip = new GZIPOutputStream(packed)) {
        gzip.write(bytes);
      }
      Files.write(Path.of(file + ".gz"), packed.toByteArray());
      String path = out.relativize(file).toString().replace('\\', '/');
      String type = TYPES.get(path.substring(path.lastIndexOf('.') + 1)) + "; charset=utf-8";
      String row = "{\"path\":\"%s\",\"type\":\"%s\",\"sha256\":\"%s\",\"size\":%d,\"gzip\":%d}";
      rows.add(row.formatted(path, type, sha256(bytes), bytes.length, packed.size()));
      sum += path.startsWith("assets/") ? packed.size() : 0;
    }
    if (sum > GZIP_BYTES_MAX) {
      throw new IOException("the dashboard has " + sum + " B compressed, over " + GZIP_BYTES_MAX);
    }
    Files.writeString(out.resolve("assets.json"), "[\n" + String.join(",\n", rows) + "\n]\n");
  }

  /** Unpacks the web jars: {@code preact/10.28.0/…} becomes {@code preact/…}. */
  private static void unpack(Path work) throws IOException {
    for (Path jar : files(work.resolve("artifacts"))) {
      try (ZipFile zip = new ZipFile(jar.toFile())) {
        for (var entry : zip.stream().filter(one -> one.getName().matches(PACKED)).toList()) {
          Path file = work.resolve(entry.getName().replaceFirst(PACKED, "node_modules/$1$2"));
          Files.createDirectories(file.getParent());
          Files.write(file, zip.getInputStream(entry).readAllBytes());
        }
      }
    }
  }

  /** Returns the first that runs and is new enough: the one named, the artifact's, on the PATH. */
  private static String esbuild(Path work) throws IOException, InterruptedException {
    List<String> candidates = new ArrayList<>(List.of(System.getProperty("dashboard.esbuild", "")));
    files(work.resolve("node_modules")).stream()
        .filter(file -> file.endsWith("bin/esbuild") && file.toFile().setExecutable(true))
        .forEach(file -> candidates.add(file.toAbsolutePath() + ""));
    candidates.add("esbuild");
    for (String candidate : candidates) {
      try {
        Process process = new ProcessBuilder(candidate, "--version").start();
        String version = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() == 0 && version.matches(VERSION)) {
          return candidate;
        }
      } catch (IOException e) {
        // There is none of this name, or it is of another platform.
      }
    }
    return "";
  }

  private static byte[] contents(Path... folders) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (Path folder : folders) {
      for (Path file : files(folder)) {
        all.write((file + "\n").getBytes());
        all.write(Files.readAllBytes(file));
      }
    }
    return all.toByteArray();
  }

  private static List<Path> files(Path folder) throws IOException {
    try (var files = Files.isDirectory(folder) ? Files.walk(folder) : List.<Path>of().stream()) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
