package dev.tollgate.server.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a form with a file of nearly 25 MiB takes of the gateway's heap: the bytes that its event
 * loops allocate for each, as the JVM counts them by thread, and what is counted as held behind it.
 */
class UploadMemoryBench {
  private static final int UPLOADS = Integer.getInteger("bench.uploads", 40);
  private static final int WARM_UP = 4;
  private static final int MIB = 1024 * 1024;
  private static final int FORM_BYTES = 25 * MIB - 1_024;
  private static final int CHUNK_BYTES = 64 * 1024;
  private static final double COPIES_MAX = 1.2;
  private static final Results RESULTS = Results.of("upload-memory");

  @TempDir private Path folder = Path.of("");

  @Test
  void oneCopyOfAFile() throws Exception {
    try (MeasuredProcess mock =
        MeasuredProcess.start(
            folder.resolve("mock.log"), List.of("-Xmx512m"), "mock", "--port", "0")) {
      String upstream = mock.awaitLine("(http://[0-9.:]+)");
      String model = "modality: transcription\n    price: { audio_second: \"0.0001\" }";
      Path home = Files.createDirectory(folder.resolve("gateway"));
      try (SingleModelGateway gateway =
          SingleModelGateway.start(home, upstream, model, "mock-whisper?ttft=0ms")) {
        byte[] form = form();
        double fixed = copies(gateway, "Content-Length: " + form.length + "\r\n\r\n", form);
        double chunked = copies(gateway, "Transfer-Encoding: chunked\r\n\r\n", chunks(form));
        double held = gateway.metric("tollgate_inflight_bytes", "");
        RESULTS.print(
            String.format(
                Locale.ROOT,
                "%d forms of 25 MiB: %.3f sizes of heap each where their length is told, %.3f in"
                    + " chunks; %.0f bytes counted behind them",
                UPLOADS,
                fixed,
                chunked,
                held));
        assertThat(fixed).as("sizes of heap for each").isLessThan(COPIES_MAX);
        assertThat(held).isZero();
      }
    }
  }

  /** Sizes of heap that the loops allocate for each upload. */
  private static double copies(SingleModelGateway gateway, String framing, byte[] body)
      throws Exception {
    upload(gateway, framing, body, WARM_UP);
    long before = gateway.process().allocatedBytes("loop-");
    upload(gateway, framing, body, UPLOADS);
    long allocated = gateway.process().allocatedBytes("loop-") - before;
    return (double) allocated / UPLOADS / FORM_BYTES;
  }

  private static void upload(SingleModelGateway gateway, String framing, byte[] body, int times) {
    try (RawClient client =
        RawClient.connect(gateway.address().getPort()).within(Duration.ofMinutes(1))) {
      for (int n = 0; n < times; n++) {
        client.send(
            "POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                + gateway.key()
                + "\r\nContent-Type: multipart/form-data; boundary=b\r\n"
                + framing);
        assertThat(client.send(body).readResponse().status()).isEqualTo(200);
      }
    }
  }

  private static byte[] form() {
    String head = "--b\r\nContent-Disposition: form-data; name=\"";
    byte[] start =
        (head
                + "model\"\r\n\r\n"
                + SingleModelGateway.NAME
                + "\r\n"
                + head
                + "file\"; filename=\"a\"\r\n\r\n")
            .getBytes(ISO_8859_1);
    byte[] end = "\r\n--b--\r\n".getBytes(ISO_8859_1);
    byte[] form = new byte[FORM_BYTES];
    Arrays.fill(form, (byte) 'x');
    System.arraycopy(start, 0, form, 0, start.length);
    System.arraycopy(end, 0, form, form.length - end.length, end.length);
    return form;
  }

  private static byte[] chunks(byte[] form) {
    var chunks = new ByteArrayOutputStream(form.length + MIB);
    for (int at = 0; at < form.length; at += CHUNK_BYTES) {
      int length = Math.min(CHUNK_BYTES, form.length - at);
      chunks.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(ISO_8859_1));
      chunks.write(form, at, length);
      chunks.writeBytes("\r\n".getBytes(ISO_8859_1));
    }
    chunks.writeBytes("0\r\n\r\n".getBytes(ISO_8859_1));
    return chunks.toByteArray();
  }
}
