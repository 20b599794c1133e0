package dev.tollgate.server.storage;

import dev.tollgate.core.aws.AwsCredentials;
import dev.tollgate.core.aws.S3Signature;
import dev.tollgate.core.catalog.EndpointIdentity;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.storage.s3.S3Bucket;
import dev.tollgate.core.storage.s3.S3Bucket.Addressing;
import dev.tollgate.core.testkit.ScriptedUpstream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Real S3 server in a process of its own that checks signatures and their time. Stores objects in
 * memory, in one bucket.
 */
public final class S3Server implements AutoCloseable {
  /** Libraries collected by the neighbouring module. */
  private static final Path LIB = Path.of("..", "loadtest", "s3-server", "target", "lib");

  private static final String BUCKET = "pictures";
  private static final long START_NANOS_MAX = 30_000_000_000L;

  private static final AwsCredentials KEYS =
      new AwsCredentials("us-east-1", "test-id", new Secret("test-secret"), Optional.empty());

  private final int port = ScriptedUpstream.refusedPort();
  private final Path settings;
  private final Process process;
  private final Thread hook = new Thread(this::kill);

  private S3Server() throws IOException {
    settings = Files.createTempFile("s3-server", ".conf");
    Files.writeString(
        settings,
        """
        s3proxy.authorization=aws-v4
        s3proxy.endpoint=http://127.0.0.1:%d
        s3proxy.identity=%s
        s3proxy.credential=%s
        jclouds.provider=transient-nio2
        jclouds.identity=none
        jclouds.credential=none
        """
            .formatted(port, KEYS.accessKey(), KEYS.secretKey().reveal()));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    process =
        new ProcessBuilder(
                java,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                LIB.resolve("*").toString(),
                "org.gaul.s3proxy.Main",
                "--properties",
                settings.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Starts the server and creates its bucket. */
  public static S3Server start() throws IOException, InterruptedException {
    var server = new S3Server();
    server.makeBucket();
    return server;
  }

  private void makeBucket() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START_NANOS_MAX;
    while (true) {
      try {
        int status = put("/" + BUCKET);
        if (status != 200) {
          throw new AssertionError("the bucket could not be made: " + status);
        }
        return;
      } catch (ConnectException e) {
        boolean isOver = process.waitFor(20, TimeUnit.MILLISECONDS);
        if (isOver || System.nanoTime() - deadline > 0) {
          kill();
          throw new AssertionError("no S3 server; is there anything in " + LIB + "?", e);
        }
      }
    }
  }

  private int put(String path) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url() + path)).PUT(BodyPublishers.noBody());
    new S3Signature(KEYS)
            .fields(
                "PUT",
                "127.0.0.1:" + port,
                path,
                List.of(),
                S3Signature.EMPTY_SHA256,
                Instant.now())
            .stream()
            .filter(field -> !field.name().equals("host"))
            .forEach(field -> request.setHeader(field.name(), field.value()));
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
  }

  /** Fetches a URL without any credentials. */
  static HttpResponse<byte[]> get(String url) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofByteArray());
    }
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  /** Returns the bucket with a secret that may be wrong. */
  S3Bucket bucket(String secret) {
    var keys =
        new AwsCredentials(KEYS.region(), KEYS.accessKey(), new Secret(secret), Optional.empty());
    return S3Bucket.of(
        new EndpointIdentity(false, "127.0.0.1", port),
        BUCKET,
        Addressing.PATH,
        keys,
        Duration.ofHours(1),
        Duration.ofSeconds(20));
  }

  S3Bucket bucket() {
    return bucket(KEYS.secretKey().reveal());
  }

  /** Returns the setting of a node that uses this server. */
  public String setting() {
    String keys = "access_key: %s, secret_key: %s, path_style: true }";
    return ("object_storage={ endpoint: '%s', bucket: %s, " + keys)
        .formatted(url(), BUCKET, KEYS.accessKey(), KEYS.secretKey().reveal());
  }

  private void kill() {
    process.destroyForcibly();
    try {
      Files.deleteIfExists(settings);
    } catch (IOException _) {
      // the system's folder for temporary files
    }
  }

  @Override
  public void close() {
    kill();
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
