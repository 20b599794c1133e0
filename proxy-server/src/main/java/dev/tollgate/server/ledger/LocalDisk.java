package dev.tollgate.server.ledger;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Journal directory in a local file system. */
final class LocalDisk implements Disk {
  private final Path directory;

  private LocalDisk(Path directory) {
    this.directory = directory;
  }

  /** Opens a directory, created with access for its owner only if it does not exist. */
  static LocalDisk at(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Path parent = directory.toAbsolutePath().getParent();
      if (parent != null) {
        force(parent);
      }
    }
    return new LocalDisk(directory);
  }

  @Override
  public List<FileEntry> list() throws IOException {
    List<FileEntry> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        found.add(
            new FileEntry(
                String.valueOf(entry.getFileName()),
                Files.size(entry),
                Files.getLastModifiedTime(entry).toMillis()));
      }
    }
    return found;
  }

  @Override
  public boolean exists(String name) {
    return Files.exists(directory.resolve(name));
  }

  @Override
  public File create(String name) throws IOException {
    return new LocalFile(
        FileChannel.open(
            directory.resolve(name),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE));
  }

  @Override
  public File create(String name, int bytes) throws IOException {
    File file = create(name);
    try {
      if (!Preallocator.writeDirect(directory.resolve(name), bytes)) {
        Preallocator.writeBuffered(file, bytes);
      }
      file.force();
      return file;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  @Override
  public File open(String name) throws IOException {
    return new LocalFile(FileChannel.open(directory.resolve(name), StandardOpenOption.READ));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(directory.resolve(name));
  }

  @Override
  public void forceDirectory() throws IOException {
    force(directory);
  }

  @Override
  public long usableBytes() throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public String path(String name) {
    return directory.resolve(name).toString();
  }

  private static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private record LocalFile(FileChannel channel) implements File {
    @Override
    public void write(ByteBuffer bytes, long at) throws IOException {
      long position = at;
      while (bytes.hasRemaining()) {
        position += channel.write(bytes, position);
      }
    }

    @Override
    public void read(ByteBuffer into, long at) throws IOException {
      long position = at;
      while (into.hasRemaining()) {
        int read = channel.read(into, position);
        if (read < 0) {
          return;
        }
        position += read;
      }
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
