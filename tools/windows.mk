# What R for Windows does with src/Makevars.win, for a compiler that makes its programs on Linux:
#
#   make -f Makevars.win -f windows.mk SHLIB=pcfdist.dll R_CPPFLAGS=-I...
#
# The symbols of R come from an import library that is made of R's own here.
CC = x86_64-w64-mingw32-gcc-posix
DLLTOOL = x86_64-w64-mingw32-dlltool
ALL_CFLAGS = -O1 -Wall $(PKG_CFLAGS)
BASE = $(basename $(SHLIB))

$(SHLIB): $(OBJECTS) libR.dll.a
	$(CC) -shared -static-libgcc -o $@ $(BASE)-win.def $(OBJECTS) $(PKG_LIBS) libR.dll.a

.SUFFIXES:
.SUFFIXES: .c .o
.c.o:
	$(CC) -DNDEBUG $(R_CPPFLAGS) $(PKG_CPPFLAGS) $(ALL_CFLAGS) -c $< -o $@

libR.dll.a: R.def
	$(DLLTOOL) -d R.def -l $@

R.def:
	{ echo 'LIBRARY R.dll'; echo EXPORTS; nm -D --defined-only $(LIBR) | \
	  sed -n 's/.* [TBDR] \([A-Za-z_][A-Za-z0-9_]*\)$$/  \1/p'; } >$@
