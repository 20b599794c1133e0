package dev.tollgate.server.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.jobs.Spool.AppendResult;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpoolTest {
  private static final long FILE_BYTES_MAX = 8;

  @TempDir private Path folder;

  /** Returns a quota that is large enough for any test. */
  static SpoolQuota room(Path folder) {
    return new SpoolQuota(folder, 1L << 30, 0);
  }

  private static List<ByteBuffer> eightBytes() {
    return List.of(
        ByteBuffer.wrap("a ".getBytes(UTF_8)), ByteBuffer.wrap("spool.".getBytes(UTF_8)));
  }

  @Test
  void allOfANodeHaveSoMuchRoomTogether() throws Exception {
    var room = new SpoolQuota(folder, 10, 0);
    try (Spool second = Spool.open(room, FILE_BYTES_MAX)) {
      try (Spool first = Spool.open(room, FILE_BYTES_MAX)) {
        assertThat(first.add(eightBytes())).isEqualTo(AppendResult.ACCEPTED);
        assertThat(first.add(eightBytes())).isEqualTo(AppendResult.TOO_LARGE);
        assertThat(second.add(eightBytes())).isEqualTo(AppendResult.NO_ROOM);
        assertThat(room.reservedBytes()).isEqualTo(8);
      }
      assertThat(room.reservedBytes()).isZero();
      assertThat(second.add(eightBytes())).isEqualTo(AppendResult.ACCEPTED);
      second.clear();
      assertThat(second.add(eightBytes())).as("it begins again").isEqualTo(AppendResult.ACCEPTED);
    }
    assertThat(room.reservedBytes()).isZero();
  }

  @Test
  void theLastBytesOfADiskAreForOthers() throws Exception {
    var room = new SpoolQuota(folder, 10, Long.MAX_VALUE / 2);
    try (Spool spool = Spool.open(room, FILE_BYTES_MAX)) {
      assertThat(spool.add(eightBytes())).isEqualTo(AppendResult.NO_ROOM);
      assertThat(room.reservedBytes()).isZero();
    }
  }

  @Test
  void contentIsDeletedWithItsLastReader() throws Exception {
    var room = room(folder);
    ByteBuf content;
    try (Spool spool = Spool.open(room, FILE_BYTES_MAX)) {
      assertThat(spool.add(eightBytes())).isEqualTo(AppendResult.ACCEPTED);
      content = spool.content();
    }
    assertThat(content.toString(UTF_8)).isEqualTo("a spool.");
    assertThat(room.reservedBytes()).as("it takes room on the disk").isEqualTo(8);
    assertThat(mapped()).isTrue();
    assertThat(content.release()).isTrue();
    assertThat(room.reservedBytes()).isZero();
    assertThat(mapped()).as("it does not wait for the collector").isFalse();
  }

  private boolean mapped() throws IOException {
    return Files.readString(Path.of("/proc/self/maps")).contains(folder.toString());
  }
}
