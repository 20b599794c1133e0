package dev.tollgate.server.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreallocatorTest {
  private static final int PIECE = 1024 * 1024;

  @TempDir private Path folder = Path.of("");

  @Test
  void aFileOfAnySizeIsMadeOfZerosAndCanBeWrittenTo() throws IOException {
    LocalDisk disk = LocalDisk.at(folder.resolve("journal"));
    for (int bytes : new int[] {512, 4096, 4096 + 512, PIECE, 2 * PIECE + 8192}) {
      try (Disk.File file = disk.create("file", bytes)) {
        assertThat(Files.readAllBytes(folder.resolve("journal/file"))).isEqualTo(new byte[bytes]);
        file.write(ByteBuffer.wrap(new byte[] {1, 2}), bytes - 2);
        assertThat(file.size()).isEqualTo(bytes);
      }
      assertThat(Files.readAllBytes(folder.resolve("journal/file"))).endsWith(1, 2).hasSize(bytes);
    }
  }

  @Test
  void whatIsNoWholeBlockGoesThroughTheCache() throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[] {7});
    assertThat(Preallocator.writeDirect(file, 513)).isFalse();
    assertThat(Files.readAllBytes(file)).containsExactly(7);
  }
}
