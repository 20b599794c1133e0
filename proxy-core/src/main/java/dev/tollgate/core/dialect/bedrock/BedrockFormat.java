package dev.tollgate.core.dialect.bedrock;

/**
 * Converts media types to Converse's names of media and document formats. An empty name means that
 * the type is unsupported.
 */
final class BedrockFormat {
  private BedrockFormat() {}

  static String ofMedium(String mediaType) {
    return switch (mediaType) {
      case "image/png" -> "png";
      case "image/jpeg" -> "jpeg";
      case "image/gif" -> "gif";
      case "image/webp" -> "webp";
      case "video/mp4" -> "mp4";
      case "video/webm" -> "webm";
      case "video/quicktime" -> "mov";
      case "video/x-matroska" -> "mkv";
      case "video/mpeg" -> "mpeg";
      default -> "";
    };
  }

  static String ofDocument(String mediaType) {
    return switch (mediaType) {
      case "application/pdf" -> "pdf";
      case "text/plain" -> "txt";
      case "text/markdown" -> "md";
      case "text/html" -> "html";
      case "text/csv" -> "csv";
      case "application/msword" -> "doc";
      case "application/vnd.openxmlformats-officedocument.wordprocessingml.document" -> "docx";
      case "application/vnd.ms-excel" -> "xls";
      case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" -> "xlsx";
      default -> "";
    };
  }
}
